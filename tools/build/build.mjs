// Bundles each app into dist/apps/<app>/main.js, its worker threads (`*.thread.ts`) beside it, and what else speaks to them into
// dist/tools: workspace libraries inlined, npm packages left outside.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const only = process.argv.slice(2);

/** Workspace packages are bundled; everything else that is imported by a bare name stays an import. */
const externalPackages = {
  name: 'external-packages',
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, (args) =>
      args.kind === 'entry-point' || args.path.startsWith('@gateway/')
        ? undefined
        : { path: args.path, external: true },
    );
  },
};

const apps = readdirSync(join(root, 'apps')).filter(
  (app) => existsSync(join(root, 'apps', app, 'src/main.ts')) && (only.length === 0 || only.includes(app)),
);

/** Sources of an app's worker threads, from its own folder on. */
const threadsOf = (app) =>
  readdirSync(join(root, 'apps', app, 'src'), { recursive: true }).filter((file) =>
    file.endsWith('.thread.ts'),
  );

const bundles = apps.flatMap((app) => [
  [`apps/${app}/src/main.ts`, `dist/apps/${app}/main.js`],
  ...threadsOf(app).map((file) => [
    `apps/${app}/src/${file}`,
    `dist/apps/${app}/${basename(file, '.ts')}.js`,
  ]),
]);
if (only.length === 0) {
  bundles.push(['tools/bootstrap/seed-demo.ts', 'dist/tools/seed-demo.js']);
  bundles.push(['tools/rotate-kek/main.ts', 'dist/tools/rotate-kek.js']);
}

await Promise.all(
  bundles.map(([entry, outfile]) =>
    build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      sourcemap: true,
      logLevel: 'warning',
      plugins: [externalPackages],
    }),
  ),
).catch(() => {
  // esbuild has said what is wrong.
  process.exit(1);
});
console.log(`built ${apps.join(', ')}`);
