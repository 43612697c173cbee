/**
 * Generates the files that every new contract, route or provider needs. Usage:
 * - `npm run generate -- contract account.rotate-key --family keys`.
 * - `npm run generate -- route model-status [--path /v1/models/status]`.
 * - `npm run generate -- provider acme --base-url https://api.acme.ai/v1 --docs-url https://docs.acme.ai [--display-name Acme]`.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderContract } from './contract.ts';
import { applyChanges, readFrom, type FileChange } from './file-change.ts';
import { renderProvider } from './provider.ts';
import { renderRoute } from './route.ts';

const root = join(import.meta.dirname, '../..');
const usage =
  'usage: npm run generate -- contract|route|provider <name> [options]; see tools/generators/generate.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string' },
    path: { type: 'string' },
    'base-url': { type: 'string' },
    'docs-url': { type: 'string' },
    'display-name': { type: 'string' },
  },
});

try {
  const [kind, name] = positionals;
  const changes = renderChanges(kind, name);
  await applyChanges(root, changes);
  for (const { path, isNew } of changes) console.log(`${isNew ? 'created' : 'changed'} ${path}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function renderChanges(kind: string | undefined, name: string | undefined): FileChange[] {
  const read = readFrom(root);
  if (name === undefined) throw new Error(usage);
  switch (kind) {
    case 'contract':
      if (options.family === undefined) throw new Error(usage);
      return renderContract(name, options.family, read);
    case 'route':
      return renderRoute(name, read, options.path);
    case 'provider': {
      const { 'base-url': baseUrl, 'docs-url': docsUrl, 'display-name': displayName = name } = options;
      if (baseUrl === undefined || docsUrl === undefined) throw new Error(usage);
      return renderProvider({ name, displayName, baseUrl, docsUrl }, read);
    }
    default:
      throw new Error(usage);
  }
}
