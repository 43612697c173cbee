import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

/** Includes workspace packages in a bundle. All other packages stay external. */
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

/**
 * Bundles an entry point and its workspace imports into a single file for Node. Paths are relative to the
 * repository root. Without a folder for failpoints, the bundle contains no failpoints.
 */
export async function bundle(entry, outfile, failpointsFolder) {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [externalPackages],
    ...(failpointsFolder === undefined
      ? { dropLabels: ['FAILPOINT'] }
      : { define: { FAILPOINTS_FOLDER: JSON.stringify(failpointsFolder) } }),
  });
  const mapFile = join(root, `${outfile}.map`);
  writeFileSync(mapFile, thinSourceMap(readFileSync(mapFile, 'utf8')));
}

/**
 * Keeps only the source map mappings at which the source line changes. Node decodes the whole source map of a bundle
 * when the process reads its first stack trace, and keeps about 200 bytes per mapping. The full source map of the
 * edge gateway would use 65 MB and pause the process for 0.2 s. Only lines are kept, as stack traces need no columns.
 */
function thinSourceMap(text) {
  const map = JSON.parse(text);
  const lines = decode(map.mappings).map((segments) =>
    segments.filter(([, source, line], at) => {
      const [, lastSource, lastLine] = segments[at - 1] ?? [];
      return source !== lastSource || line !== lastLine;
    }),
  );
  return JSON.stringify({ ...map, mappings: encode(lines) });
}
