/**
 * Lints code strings with the repository's configuration. Each code string is treated as a file at a given
 * path. Reads JSON `[{ path, code }]` from stdin and writes the messages for each entry to stdout. Rules that
 * need types are off, because code without a file has no types. `npm run lint` checks the repository's sources
 * with all rules. The script runs as a separate process, because ESLint cannot load its configuration in Jest's
 * realm.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const root = resolve(import.meta.dirname, '../..');
process.chdir(root);
// Creates Nx's project graph, without which the lint rule for project boundaries reports nothing.
execFileSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', 'show', 'projects'], { stdio: 'ignore' });

const eslint = new ESLint({
  cwd: root,
  overrideConfig: [
    { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked },
    { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  ],
});

const results = await lintTexts(JSON.parse(await text(process.stdin)));

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
