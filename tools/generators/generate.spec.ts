import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintAs } from '../../test/architecture/lint-as.ts';
import { renderContract } from './contract.ts';
import { applyChanges, insertBefore, insertSorted, readFrom, type FileChange } from './file-change.ts';
import { parseName } from './names.ts';
import { renderProvider } from './provider.ts';
import { renderRoute } from './route.ts';

const root = join(import.meta.dirname, '../..');
/** On a busy machine, the type checker and ESLint each take several seconds to start. */
const slowMs = 120_000;
const acme = {
  name: 'acme',
  displayName: "Acme's",
  baseUrl: 'https://api.acme.ai/v1/',
  docsUrl: 'https://docs.acme.ai/chat',
};

/**
 * A copy of the sources in a folder that git ignores. The folder is inside the repository, so that Node can
 * resolve npm packages.
 */
let copy: string;
let changes: FileChange[];
beforeAll(async () => {
  mkdirSync(join(root, '.data'), { recursive: true });
  copy = mkdtempSync(join(root, '.data/generators-'));
  const parts = [
    ...['libs/contracts', 'libs/providers', 'apps/edge-gateway', 'apps/account'],
    'prisma/account/generated',
  ];
  for (const part of parts) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      // The app in the copy is type-checked against the modified contracts.
      compilerOptions: { paths: { '@gateway/contracts': ['./libs/contracts/src/index.ts'] } },
      files: [
        'libs/contracts/src/index.ts',
        'libs/providers/src/index.ts',
        'apps/edge-gateway/src/routes/model-status/model-status.route.ts',
        'apps/edge-gateway/src/routes/model-status/model-status.route.spec.ts',
        'apps/account/src/account.module.ts',
      ],
    }),
  );
  const read = readFrom(copy);
  changes = [
    ...renderContract('account.ponder-key', 'keys', read),
    ...renderRoute('model-status', read),
    ...renderProvider(acme, read),
  ];
  await applyChanges(copy, changes);
  const inNewFamily = renderContract('account.count-badges', 'badges', read);
  await applyChanges(copy, inNewFamily);
  changes.push(...inNewFamily);
});
afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

const written = (path: string): string => readFileSync(join(copy, path), 'utf8');

describe('generated files', () => {
  test(
    'generated files pass the type check',
    () => {
      const tsc = join(root, 'node_modules/typescript7/bin/tsc');
      const errors = ((): string => {
        try {
          return execFileSync(process.execPath, [tsc, '-p', copy, '--noEmit'], {
            encoding: 'utf8',
            cwd: root,
          });
        } catch (error) {
          return (error as { stdout: string }).stdout;
        }
      })();
      const made = changes.filter(({ isNew }) => isNew).map(({ path }) => path);
      const own = errors.split('\n').filter((line) => made.some((path) => line.includes(path)));
      expect(own).toEqual([]);
      expect(errors).not.toMatch(/libs\/(contracts|providers)\//);
    },
    slowMs,
  );

  test(
    'generated files pass lint and the formatter',
    () => {
      const texts = changes.map(({ path }) => ({ path, code: written(path) }));
      expect(lintAs(texts).flatMap(({ messages }) => messages)).toEqual([]);
      const prettier = join(root, 'node_modules/prettier/bin/prettier.cjs');
      const args = [
        prettier,
        '--check',
        '--ignore-path',
        '/dev/null',
        '--config',
        join(root, '.prettierrc.json'),
        ...changes.map(({ path }) => join(copy, path)),
      ];
      expect(() => execFileSync(process.execPath, args, { stdio: 'pipe' })).not.toThrow();
    },
    slowMs,
  );

  test('a contract gets a file, an export and a row in the contract table', () => {
    expect(written('libs/contracts/src/rpc/ponder-key.v1.ts')).toContain("subject: 'account.ponder-key.v1'");
    expect(written('libs/contracts/src/index.ts')).toContain("export * from './rpc/ponder-key.v1.ts';");
    const table = written('libs/contracts/src/contract-table.ts');
    expect(table).toContain("import { ponderKey } from './rpc/ponder-key.v1.ts';");
    expect(table).toMatch(/\n {2}ponderKey,\n {2}countBadges,\n\];/);
  });

  test('a contract gets a function, and a method in the controller of the contract’s family', () => {
    expect(written('apps/account/src/keys/ponder-key.ts')).toContain('export async function ponderKey');
    const controller = written('apps/account/src/keys/keys.controller.ts');
    expect(controller).toContain('  ponderKey as ponderKeyContract,');
    expect(controller).toContain("import { ponderKey } from './ponder-key.ts';");
    expect(controller).toContain('@RpcHandler(ponderKeyContract)');
  });

  test('a contract in a new family gets a controller in the module of its service', () => {
    expect(written('apps/account/src/badges/badges.controller.ts')).toContain('class BadgesController');
    expect(written('apps/account/src/account.module.ts').match(/BadgesController/g)).toHaveLength(2);
  });

  test('a route gets a folder and an entry in the module', () => {
    expect(written('apps/edge-gateway/src/routes/model-status/model-status.route.ts')).toContain(
      "@Controller('/v1/model-status')",
    );
    const moduleText = written('apps/edge-gateway/src/edge-gateway.module.ts');
    expect(moduleText.match(/ModelStatusRoute/g)).toHaveLength(2);
  });

  test('a provider gets one row and changes no other file', async () => {
    const tableFile = join(copy, 'libs/providers/src/provider-table.ts');
    const { findProvider } = (await import(tableFile)) as {
      findProvider: (name: string) => unknown;
    };
    expect(findProvider('acme')).toMatchObject({
      displayName: "Acme's",
      baseUrl: 'https://api.acme.ai/v1',
      auth: { kind: 'bearer' },
    });
    expect(changes.filter(({ path }) => path.startsWith('libs/providers'))).toHaveLength(1);
  });
});

describe('generators reject', () => {
  test.each(['RotateKey', 'rotate_key', '', '../x', 'a--b'])('generators reject the name %p', (name) => {
    expect(() => parseName(name)).toThrow();
  });

  test('generators reject an existing name or file, and then write nothing', async () => {
    const read = readFrom(root);
    expect(() => renderProvider({ ...acme, name: 'openai' }, read)).toThrow('openai exists already');
    const before = written('libs/contracts/src/index.ts');
    await expect(
      applyChanges(copy, [{ path: 'libs/contracts/src/index.ts', content: '', isNew: true }]),
    ).rejects.toThrow('exists already');
    expect(written('libs/contracts/src/index.ts')).toBe(before);
    expect(() => renderContract('account.ponder-key', 'keys', readFrom(copy))).toThrow();
  });

  test('generators reject an unknown service', () => {
    expect(() => renderContract('nobody.ponder-key', 'keys', readFrom(root))).toThrow('not a service');
  });

  test('generators reject files that no longer have the expected form', () => {
    expect(() => insertSorted('a\n', /^b/, 'b1')).toThrow();
    expect(() => insertBefore('x];x];', '];', 'y')).toThrow();
    expect(insertSorted('b1\nb3\nc', /^b/, 'b2')).toBe('b1\nb2\nb3\nc');
    expect(insertSorted('b1\nc', /^b/, 'b2')).toBe('b1\nb2\nc');
  });
});
