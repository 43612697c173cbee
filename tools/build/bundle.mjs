import { resolve } from 'node:path';
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
 * repository root.
 */
export function bundle(entry, outfile) {
  return build({
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
  });
}
