import { resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

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

/** Makes one file that Node runs of an entry and of what it imports of the workspace. Paths are relative to the repository. */
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
