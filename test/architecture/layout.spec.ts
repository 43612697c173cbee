import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '@gateway/model-catalog';
import { findProvider, formatsOf } from '@gateway/providers';

const root = join(import.meta.dirname, '../..');

describe('the layout on the architecture page', () => {
  test.each([
    'README.md',
    'package.json',
    'nx.json',
    'tsconfig.base.json',
    'eslint.config.mjs',
    '.dependency-cruiser.cjs',
    'apps/dashboard/src/main.tsx',
    'apps/edge-gateway/src/main.ts',
    'apps/edge-gateway/src/config.ts',
    'apps/edge-gateway/src/edge-gateway.module.ts',
    'apps/edge-gateway/src/routes',
    'apps/edge-gateway/src/pipeline/handle-request.ts',
    'apps/edge-gateway/src/pipeline/exchange/exchange.ts',
    'prisma/account/schema.prisma',
    'prisma/account/migrations',
    'prisma/vault/schema.prisma',
    'prisma/vault/migrations',
    'prisma/billing/schema.prisma',
    'prisma/billing/migrations',
    'prisma/telemetry/schema.prisma',
    'prisma/telemetry/migrations',
    'models',
    'training',
    'deploy',
    'k8s',
    'docs/internals/request-path.md',
    'docs/operations/failure-modes.md',
    'docs/decisions',
    'tools/bootstrap',
    'tools/generators',
  ])('the path %s on the architecture page exists', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });

  test.each([
    'account',
    'billing',
    'compressor',
    'edge-gateway',
    'provider-vault',
    'sandbox-provider',
    'tool-router',
    'worker',
  ])('the app %s starts in main.ts and reads its environment in config.ts', (app) => {
    expect(existsSync(join(root, 'apps', app, 'src/main.ts'))).toBe(true);
    expect(existsSync(join(root, 'apps', app, 'src/config.ts'))).toBe(true);
  });

  test.each(readdirSync(join(root, 'libs')))('the library %s has a single index', (lib) => {
    const indexes = readdirSync(join(root, 'libs', lib, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(^|\/)index\.ts$/.test(file),
    );
    expect(indexes).toEqual(['index.ts']);
  });

  test('every test suite with specs has a command of the same name', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const suites = readdirSync(join(root, 'test'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) =>
        readdirSync(join(root, 'test', name), { recursive: true, encoding: 'utf8' }).some((file) =>
          file.endsWith('.spec.ts'),
        ),
      );
    expect(suites.filter((name) => scripts[`test:${name}`] === undefined)).toEqual([]);
  });
});

describe('catalog and providers', () => {
  test('every model belongs to a provider in the table, and uses only formats that the provider supports', () => {
    for (const { provider: name, modelId, formats } of loadCatalog().models) {
      const provider = findProvider(name);
      expect([modelId, name, provider !== undefined]).toEqual([modelId, name, true]);
      if (provider) expect(formatsOf(provider)).toEqual(expect.arrayContaining(formats));
    }
  });
});
