import { readdirSync, readFileSync, statSync, writeFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '../..');
const outDir = join(root, 'dist/apps/dashboard');
/**
 * Maximum size in bytes, after gzip, of the JavaScript that a first visit loads. Charts and pages are loaded
 * on demand.
 */
const firstLoadBytesMax = 250_000;
const compressible = /\.(js|css|html|svg|json)$/;

/**
 * Builds the dashboard and compresses the output files. Throws if the JavaScript of a first visit exceeds the
 * limit.
 */
export async function buildDashboard() {
  // The calling process, such as a test run, may have a NODE_ENV other than production.
  // In test mode, the bundle would include React's warnings.
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
  const firstLoad = `${(bytes / 1000).toFixed(0)} kB of compressed JavaScript at the first load`;
  if (bytes > firstLoadBytesMax)
    throw new Error(`The dashboard loads ${firstLoad}. At most ${firstLoadBytesMax / 1000} kB are allowed.`);
  return firstLoad;
}

/** Returns the script files that the entry point loads through static imports. */
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
