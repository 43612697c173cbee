/**
 * Lints texts as if they lay at given paths, by the repository's own configuration: JSON `[{ path, code }]` on stdin,
 * the messages of each on stdout. With `--tree`, lints the sources that are there instead.
 * Rules that need types are off (a text that is not there has none); those are proven by every lint run.
 * A process of its own, since ESLint loads its configuration in ways that Jest's realm does not allow.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const root = resolve(import.meta.dirname, '../..');
process.chdir(root);
// The boundary rule reads the project graph that Nx keeps; without one it would be silent.
execFileSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', 'show', 'projects'], { stdio: 'ignore' });

const eslint = new ESLint({
  cwd: root,
  overrideConfig: [
    { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked },
    { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  ],
});

const results = process.argv.includes('--tree')
  ? await eslint.lintFiles(['apps', 'libs', 'test', 'tools'])
  : await lintTexts(JSON.parse(await text(process.stdin)));

process.stdout.write(
  JSON.stringify(
    results.map(({ filePath, messages }) => ({
      path: filePath.slice(root.length + 1),
      messages: messages.map(({ ruleId, message, line }) => ({ ruleId, message, line })),
    })),
  ),
);

async function lintTexts(texts) {
  const all = [];
  for (const { path, code } of texts)
    all.push(...(await eslint.lintText(code, { filePath: resolve(root, path) })));
  return all;
}
