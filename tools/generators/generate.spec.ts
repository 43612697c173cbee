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
/** The type checker and ESLint each take seconds to start on a busy machine. */
const slowMs = 120_000;
const acme = {
  name: 'acme',
  displayName: "Acme's",
  baseUrl: 'https://api.acme.ai/v1/',
  docsUrl: 'https://docs.acme.ai/chat',
};

/** A copy of the sources inside the repository, where packages are found, and which git does not see. */
let copy: string;
let changes: FileChange[];
beforeAll(async () => {
  mkdirSync(join(root, '.data'), { recursive: true });
  copy = mkdtempSync(join(root, '.data/generators-'));
  for (const part of ['libs/contracts', 'libs/providers', 'apps/edge-gateway']) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      files: [
        'libs/contracts/src/index.ts',
        'libs/providers/src/index.ts',
        'apps/edge-gateway/src/routes/model-status/model-status.route.ts',
        'apps/edge-gateway/src/routes/model-status/model-status.route.spec.ts',
      ],
    }),
  );
  const read = readFrom(copy);
  changes = [
    ...renderContract('account.ponder-key', read),
    ...renderRoute('model-status', read),
    ...renderProvider(acme, read),
  ];
  await applyChanges(copy, changes);
});
afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

const written = (path: string): string => readFileSync(join(copy, path), 'utf8');

describe('what the generators make', () => {
  test(
    'passes the type check',
    () => {
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
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
    'passes lint and the formatter',
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

  test('a contract has its file, its export and its row', () => {
    expect(written('libs/contracts/src/rpc/ponder-key.v1.ts')).toContain("subject: 'account.ponder-key.v1'");
    expect(written('libs/contracts/src/index.ts')).toContain("export * from './rpc/ponder-key.v1.ts';");
    const table = written('libs/contracts/src/contract-table.ts');
    expect(table).toContain("import { ponderKey } from './rpc/ponder-key.v1.ts';");
    expect(table).toMatch(/\n {2}ponderKey,\n\];/);
  });

  test('a route has its folder and its place in the module', () => {
    expect(written('apps/edge-gateway/src/routes/model-status/model-status.route.ts')).toContain(
      "@Controller('/v1/model-status')",
    );
    const moduleText = written('apps/edge-gateway/src/edge-gateway.module.ts');
    expect(moduleText.match(/ModelStatusRoute/g)).toHaveLength(2);
  });

  test('a provider is a row, and nothing but a row', async () => {
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

describe('generators refuse', () => {
  test.each(['RotateKey', 'rotate_key', '', '../x', 'a--b'])('the name %p', (name) => {
    expect(() => parseName(name)).toThrow();
  });

  test('what is there already, and write nothing', async () => {
    const read = readFrom(root);
    expect(() => renderProvider({ ...acme, name: 'openai' }, read)).toThrow('openai is there already');
    const before = written('libs/contracts/src/index.ts');
    await expect(
      applyChanges(copy, [{ path: 'libs/contracts/src/index.ts', content: '', isNew: true }]),
    ).rejects.toThrow('is there already');
    expect(written('libs/contracts/src/index.ts')).toBe(before);
    expect(() => renderContract('account.ponder-key', readFrom(copy))).toThrow();
  });

  test('a process that is none of ours', () => {
    expect(() => renderContract('nobody.ponder-key', readFrom(root))).toThrow('not a process of ours');
  });

  test('files that are no longer what they know', () => {
    expect(() => insertSorted('a\n', /^b/, 'b1')).toThrow();
    expect(() => insertBefore('x];x];', '];', 'y')).toThrow();
    expect(insertSorted('b1\nb3\nc', /^b/, 'b2')).toBe('b1\nb2\nb3\nc');
    expect(insertSorted('b1\nc', /^b/, 'b2')).toBe('b1\nb2\nc');
  });
});
