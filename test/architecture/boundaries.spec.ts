import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintAs, type LintResult } from './lint-as.ts';

const configuration = join(import.meta.dirname, '../../eslint.config.mjs');
const { moduleBoundaries } = (await import(configuration)) as {
  moduleBoundaries: { sourceTag: string; onlyDependOnLibsWithTags?: string[] }[];
};

/**
 * One project of each kind. The test lints import statements as if they were in the folder `as`. Other
 * projects import the project as `name`.
 */
const kinds = {
  core: { as: 'libs/model-catalog', name: '@gateway/model-catalog' },
  contract: { as: 'libs/contracts', name: '@gateway/contracts' },
  format: { as: 'libs/wire-formats', name: '@gateway/wire-formats' },
  adapter: { as: 'libs/providers', name: '@gateway/providers' },
  testing: { as: 'libs/testing', name: '@gateway/testing' },
  app: { as: 'apps/edge-gateway', name: '../../../apps/tool-router/src/main.ts' },
} as const;
type Kind = keyof typeof kinds;
const all = Object.keys(kinds) as Kind[];

/**
 * The allowed imports. The test has its own list of allowed imports, and fails if the configuration allows
 * any other import.
 */
const mayImport: Record<Kind, readonly Kind[]> = {
  core: ['core'],
  contract: ['core', 'contract'],
  format: ['core'],
  adapter: ['core', 'contract', 'format', 'adapter'],
  testing: ['core', 'contract', 'format', 'adapter', 'testing'],
  app: ['core', 'contract', 'format', 'adapter'],
};
/**
 * All wire formats are in one library, so ESLint's rule for projects cannot separate the formats.
 * dependency-cruiser prevents imports between wire formats.
 */
const denied = all.flatMap((from) =>
  all
    .filter((to) => !mayImport[from].includes(to) && !(from === 'format' && to === 'format'))
    .map((to) => ({ from, to })),
);
const frameworks = [
  '@nestjs/common',
  'fastify',
  'ioredis',
  'bullmq',
  '@prisma/client',
  'pg',
  '@nats-io/nats-core',
];
const pure: readonly Kind[] = ['core', 'contract', 'format'];

const importing = (kind: Kind, name: string) => ({
  path: `${kinds[kind].as}/src/deliberately-bad.ts`,
  code: `import * as it from '${name}';\nexport const used = it;\n`,
});
const boundaryMessages = ({ messages }: LintResult): string[] =>
  messages.filter(({ ruleId }) => ruleId === '@nx/enforce-module-boundaries').map(({ message }) => message);

describe('@nx/enforce-module-boundaries', () => {
  const frameworkPairs = pure.flatMap((from) => frameworks.map((name) => ({ from, name })));
  const allowed = [
    importing('core', '@gateway/interchange'),
    importing('contract', 'zod'),
    importing('adapter', '@gateway/contracts'),
    importing('app', '@gateway/messaging'),
    importing('app', 'fastify'),
  ];
  const results = lintAs([
    ...denied.map(({ from, to }) => importing(from, kinds[to].name)),
    ...frameworkPairs.map(({ from, name }) => importing(from, name)),
    ...allowed,
  ]);
  const byPair = results.slice(0, denied.length);
  const byFramework = results.slice(denied.length, -allowed.length);

  test.each(denied.map((pair, index) => ({ ...pair, index })))(
    '$from may not import $to',
    ({ from, to, index }) => {
      const [message] = boundaryMessages(byPair[index]!);
      if (to === 'app') {
        expect(message).toMatch(/cannot be imported by a relative or absolute path/);
      } else {
        // The forbidden import may also create a dependency cycle.
        // If two projects depend on each other, the lint rule reports the cycle before it checks tags.
        const tagged = `tagged with "type:${from}" can only depend on libs tagged with`;
        expect(message).toMatch(new RegExp(`${tagged}|^Circular dependency between`));
      }
    },
  );

  test.each(frameworkPairs.map((pair, index) => ({ ...pair, index })))(
    '$from may not import $name',
    ({ from, name, index }) => {
      expect(boundaryMessages(byFramework[index]!)).toEqual([
        `A project tagged with "type:${from}" is not allowed to import "${name}"`,
      ]);
    },
  );

  test('allowed imports pass', () => {
    expect(results.slice(-allowed.length).flatMap(boundaryMessages)).toEqual([]);
  });

  test('the configured constraints match the allowed pairs, and no constraint allows everything', () => {
    const configured = Object.fromEntries(
      moduleBoundaries
        .filter((rule) => rule.onlyDependOnLibsWithTags !== undefined)
        .map((rule) => [rule.sourceTag, rule.onlyDependOnLibsWithTags]),
    );
    expect(configured).toEqual(
      Object.fromEntries(all.map((kind) => [`type:${kind}`, mayImport[kind].map((to) => `type:${to}`)])),
    );
  });
});

describe('every workspace package', () => {
  const root = join(import.meta.dirname, '../..');
  const folders = ['apps', 'libs'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => [parent, name]),
  );

  test.each(folders)('the package %s/%s has one kind and one scope that match its folder', (parent, name) => {
    const manifest = JSON.parse(readFileSync(join(root, parent, name, 'package.json'), 'utf8')) as {
      name: string;
      nx: { tags: string[] };
    };
    const [kind, scope, ...rest] = manifest.nx.tags;
    expect(rest).toEqual([]);
    expect(scope).toBe(`scope:${name}`);
    expect(all.map((each) => `type:${each}`)).toContain(kind);
    expect(kind === 'type:app').toBe(parent === 'apps');
    expect(manifest.name).toBe(parent === 'apps' ? `@gateway/${name}-app` : `@gateway/${name}`);
  });
});
