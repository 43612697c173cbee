import { readdirSync, readFileSync, statSync, writeFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '../..');
const outDir = join(root, 'dist/apps/dashboard');
/** What a first visit may load of JavaScript, as it is sent (gzip). Charts and pages come when they are opened. */
const firstLoadBytesMax = 250_000;
const compressible = /\.(js|css|html|svg|json)$/;

/** Bundles the dashboard, compresses its files beside themselves, and holds it to its budget. */
export async function buildDashboard() {
  // Whatever runs this, tests for one, may be in another mode, in which React brings its warnings along.
  process.env.NODE_ENV = 'production';
  await build({
    configFile: join(root, 'apps/dashboard/vite.config.mjs'),
    mode: 'production',
    logLevel: 'warn',
  });
  const manifest = JSON.parse(readFileSync(join(outDir, 'manifest.json'), 'utf8'));
  rmSync(join(outDir, 'manifest.json'));
  compressFiles();
  const bytes = listFirstLoad(manifest).reduce(
    (sum, file) => sum + statSync(join(outDir, `${file}.gz`)).size,
    0,
  );
  const told = `${(bytes / 1000).toFixed(0)} kB of compressed JavaScript at the first load`;
  if (bytes > firstLoadBytesMax)
    throw new Error(`The dashboard asks for ${told}; ${firstLoadBytesMax / 1000} kB are allowed.`);
  return told;
}

/** The entry and what it imports without being asked. */
function listFirstLoad(manifest) {
  const entry = Object.values(manifest).find(({ isEntry }) => isEntry);
  const chunks = new Set();
  const visit = (chunk) => {
    if (chunks.has(chunk)) return;
    chunks.add(chunk);
    for (const name of chunk.imports ?? []) visit(manifest[name]);
  };
  visit(entry);
  return [...chunks].map(({ file }) => file).filter((file) => file.endsWith('.js'));
}

function compressFiles() {
  for (const name of readdirSync(outDir, { recursive: true })) {
    if (!compressible.test(name)) continue;
    const path = join(outDir, name);
    const content = readFileSync(path);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(content, quality));
  }
}
