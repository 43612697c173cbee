import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const cached = { cache: true, options: { cwd: '{workspaceRoot}' } };
const run = (command) => ({
  executor: 'nx:run-commands',
  ...cached,
  options: { ...cached.options, command },
});

/**
 * Defines the targets of all workspace packages in one place. Every package has the target `lint`, packages
 * with specs have `test`, and apps have `build`. The file nx.json lists each target's inputs and outputs.
 */
export const createNodesV2 = [
  '{apps,libs}/*/package.json',
  (packageFiles, _options, { workspaceRoot }) =>
    packageFiles.map((packageFile) => {
      const root = dirname(packageFile);
      const [kind, name] = root.split('/');
      const source = join(workspaceRoot, root, 'src');
      const targets = { lint: run(`eslint ${root}`) };
      if (hasSpecs(source)) targets.test = run(`npm run -s jest -- ${root}/`);
      if (kind === 'apps' && ['main.ts', 'main.tsx'].some((main) => existsSync(join(source, main)))) {
        targets.build = run(`node tools/build/build.mjs ${name}`);
      }
      const projectType = kind === 'apps' ? 'application' : 'library';
      return [packageFile, { projects: { [root]: { projectType, targets } } }];
    }),
];

function hasSpecs(folder) {
  return (
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.spec.ts'))
  );
}
