// Bundles each app into dist/apps/<app>/main.js.
// Worker threads (`*.thread.ts`) and commands (`*.command.ts`) are also bundled into the app's folder.
// Tools that connect to the services are bundled into dist/tools.
// The bundles contain the workspace libraries, but no npm packages.
// The dashboard is built into dist/apps/dashboard.
// The documentation is rendered into dist/apps/edge-gateway/docs.
//
// `--failpoints FOLDER APP…` bundles only the apps, into dist/failpoints/<app>.
// A file in FOLDER arms the failpoint with the same name (libs/observability/src/failpoint.ts).
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';
import { buildDashboard } from './dashboard.mjs';
import { buildDocs } from './docs.mjs';

const root = resolve(import.meta.dirname, '../..');
const {
  values: { failpoints },
  positionals: only,
} = parseArgs({ allowPositionals: true, options: { failpoints: { type: 'string' } } });
const outDir = failpoints === undefined ? 'dist/apps' : 'dist/failpoints';

const apps = readdirSync(join(root, 'apps')).filter(
  (app) => existsSync(join(root, 'apps', app, 'src/main.ts')) && (only.length === 0 || only.includes(app)),
);

/** Source paths of an app's worker threads and commands, relative to the app's `src` folder. */
const otherEntriesOf = (app) =>
  readdirSync(join(root, 'apps', app, 'src'), { recursive: true }).filter((file) =>
    /\.(thread|command)\.ts$/.test(file),
  );

const bundles = apps.flatMap((app) => [
  [`apps/${app}/src/main.ts`, `${outDir}/${app}/main.js`],
  ...otherEntriesOf(app).map((file) => [
    `apps/${app}/src/${file}`,
    `${outDir}/${app}/${basename(file, '.ts')}.js`,
  ]),
]);
if (only.length === 0) {
  bundles.push(['tools/bootstrap/seed-demo.ts', 'dist/tools/seed-demo.js']);
  bundles.push(['tools/rotate-kek/main.ts', 'dist/tools/rotate-kek.js']);
  bundles.push(['tools/restore-drill/check-restored.ts', 'dist/tools/check-restored.js']);
}

const buildsDashboard = only.length === 0 || only.includes('dashboard');
await Promise.all(bundles.map(([entry, outfile]) => bundle(entry, outfile, failpoints))).catch(() => {
  // The build prints no message here, because esbuild has already printed the error.
  process.exit(1);
});
if (apps.length > 0) console.log(`built ${apps.join(', ')}`);
if (failpoints !== undefined) process.exit();
if (apps.includes('edge-gateway')) console.log(`built documentation: ${buildDocs()} pages`);
if (buildsDashboard) console.log(`built dashboard: ${await buildDashboard()}`);
