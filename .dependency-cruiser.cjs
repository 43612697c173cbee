const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The path pattern of all libraries with a tag. A library's package.json contains its tags. */
const libsTagged = (...tags) => {
  const names = readdirSync(join(__dirname, 'libs')).filter((name) => {
    const { nx } = JSON.parse(readFileSync(join(__dirname, 'libs', name, 'package.json'), 'utf8'));
    return tags.some((tag) => nx.tags.includes(tag));
  });
  return `^libs/(${names.join('|')})/src/`;
};

/** The path patterns of the files that other projects may import (package.json, `exports`). */
const entryPoints = readdirSync(join(__dirname, 'libs')).flatMap((name) => {
  const { exports } = JSON.parse(readFileSync(join(__dirname, 'libs', name, 'package.json'), 'utf8'));
  return Object.values(exports).map(
    (file) => `^libs/${name}/${file.slice('./'.length).replace('.', '\\.')}$`,
  );
});

const sources = '^(apps|libs)/[^/]+/src/';
/** The dashboard is bundled with all its imports, so the image contains none of its packages. */
const dashboard = '^apps/dashboard/';
const notProduction = ['\\.(spec|fixture|child)\\.ts$', libsTagged('type:testing')];
/** Each database, with the only app that opens the database. */
const databaseOwners = {
  account: 'account',
  vault: 'provider-vault',
  billing: 'billing',
  telemetry: 'worker',
};
const stages = '^apps/edge-gateway/src/pipeline/stages';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules that need each other are one module, or contain a third one. Types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'stages-never-import-stages',
      comment:
        'Only handle-request.ts knows the order of the stages. Code that two stages share is below stages/.',
      severity: 'error',
      from: { path: `${stages}/([^/]+)/` },
      to: { path: `${stages}/`, pathNot: `${stages}/$1/` },
    },
    {
      name: 'formats-never-import-formats',
      comment: 'Formats meet in the interchange, so that N formats are not N×N translators.',
      severity: 'error',
      from: { path: '^libs/wire-formats/src/([^/]+)/', pathNot: '\\.(spec|fixture)\\.ts$' },
      to: {
        path: '^libs/wire-formats/src/(chat-completions|messages|converse|responses|gemini|cohere)/',
        pathNot: '^libs/wire-formats/src/$1/',
      },
    },
    {
      name: 'ports-never-import-adapters',
      comment:
        'The logic declares a port, and an adapter implements it. A port that imports an adapter has no purpose.',
      severity: 'error',
      from: { path: '\\.port\\.ts$' },
      to: { path: '\\.adapter\\.ts$' },
    },
    {
      name: 'core-imports-no-framework',
      comment:
        'Core and formats are types and pure functions. They may parse (zod) but have no side effects.',
      severity: 'error',
      from: {
        path: libsTagged('type:core', 'type:format', 'type:contract'),
        pathNot: '\\.(spec|fixture)\\.ts$',
      },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
        pathNot: '^node_modules/zod/',
      },
    },
    {
      name: 'apps-never-import-apps',
      comment: 'Processes communicate only through the contracts of libs/contracts.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'dashboard-uses-http-only',
      comment: 'The dashboard uses only the public API, with generated types.',
      severity: 'error',
      from: { path: dashboard },
      to: { path: '^(libs|prisma|tools|models)/' },
    },
    {
      name: 'libs-never-import-apps',
      comment: 'Apps are at the top of the dependency tree.',
      severity: 'error',
      from: { path: '^libs/', pathNot: libsTagged('type:testing') },
      to: { path: '^apps/' },
    },
    {
      name: 'libs-are-imported-through-entry-points',
      comment:
        "Code that a library's entry points do not export is private to the library (package.json, exports).",
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: [...entryPoints, '^$1/$2/'] },
    },
    ...Object.entries(databaseOwners).map(([database, app]) => ({
      name: `only-${app}-opens-${database}`,
      comment: 'Each owner has its own database and role. Other services call the owner.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: `^apps/${app}/` },
      to: { path: `^prisma/${database}/` },
    })),
    {
      name: 'no-orphan-libs',
      comment: 'A library without importers is dead code.',
      severity: 'error',
      from: { path: '^(apps|libs|test|tools)/' },
      module: { path: '^libs/[^/]+/src/index\\.ts$', numberOfDependentsLessThan: 1 },
    },
    {
      name: 'no-orphan-modules',
      comment: 'A file without imports and importers is dead code.',
      severity: 'error',
      from: {
        orphan: true,
        path: sources,
        pathNot: ['\\.d\\.(ts|json\\.ts)$', '/index\\.ts$', '/main\\.ts$', '\\.css$'],
      },
      to: {},
    },
    {
      name: 'production-imports-no-dev-dependency',
      comment: 'A development dependency is missing in production installs.',
      severity: 'error',
      from: { path: sources, pathNot: [...notProduction, dashboard] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'production-imports-no-test-code',
      comment: 'Test code is neither built nor reviewed for production.',
      severity: 'error',
      from: { path: sources, pathNot: notProduction },
      to: { path: ['^test/', '^tools/', '^training/', ...notProduction] },
    },
    {
      name: 'only-listed-packages',
      comment: 'A package that no package.json lists is installed by accident and may disappear.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'imports-resolve',
      comment: 'An import that cannot be resolved fails at run time.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/generated/'] },
    exclude: { path: ['^dist/', '^test/architecture/fixtures/', '^apps/dashboard/vite.config.mjs$'] },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    tsConfig: { fileName: join(__dirname, 'tsconfig.json') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
