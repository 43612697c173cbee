import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const frameworks = [
  '@nestjs/*',
  'fastify',
  'ioredis',
  'bullmq',
  '@prisma/*',
  'pg',
  '@nats-io/*',
  'undici',
  'pino',
  'onnxruntime-node',
];

/**
 * For each kind of project, the kinds of projects that it may import. `core` has types and pure functions,
 * `contract` has messages between processes, `format` has wire formats, `adapter` has side effects, and `app`
 * is a process.
 */
export const moduleBoundaries = [
  { sourceTag: 'type:core', onlyDependOnLibsWithTags: ['type:core'] },
  { sourceTag: 'type:contract', onlyDependOnLibsWithTags: ['type:core', 'type:contract'] },
  { sourceTag: 'type:format', onlyDependOnLibsWithTags: ['type:core'] },
  {
    sourceTag: 'type:adapter',
    onlyDependOnLibsWithTags: ['type:core', 'type:contract', 'type:format', 'type:adapter'],
  },
  {
    sourceTag: 'type:testing',
    onlyDependOnLibsWithTags: ['type:core', 'type:contract', 'type:format', 'type:adapter', 'type:testing'],
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: ['type:core', 'type:contract', 'type:format', 'type:adapter'],
  },
  { sourceTag: 'type:core', bannedExternalImports: frameworks },
  { sourceTag: 'type:contract', bannedExternalImports: frameworks },
  { sourceTag: 'type:format', bannedExternalImports: frameworks },
];

/** Specs share `*.fixture.ts` files. A spec starts a `*.child.ts` file as a process. */
const tests = ['**/*.{spec,fixture,child}.ts', 'test/**/*.ts', 'libs/testing/**/*.ts'];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/generated/**',
      '.nx/**',
      '.data/**',
      'coverage/**',
      'test/architecture/fixtures/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [js.configs.recommended, ...tseslint.configs.strictTypeChecked, prettier],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          // Generated database clients are files, not projects.
          // dependency-cruiser checks that each app opens only its own database.
          // The test stack uses the code of `npm start`.
          // Model weights are in a file next to the model card.
          allow: ['../../../../prisma/**', '../../../../tools/bootstrap/**', '../../../../models/**'],
          depConstraints: moduleBoundaries,
          enforceBuildableLibDependency: false,
        },
      ],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 39, IIFEs: true }],
      '@typescript-eslint/no-extraneous-class': 'off',
      // The bundler removes statements with the label FAILPOINT from production builds.
      'no-unused-labels': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
    },
  },
  {
    // A regular expression that takes more than linear time lets one text stop a process.
    // Tests choose their own texts.
    files: ['{apps,libs,tools}/**/*.{ts,tsx,mjs,cjs}'],
    ignores: tests,
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': [
        'error',
        { report: 'certain', ignoreSticky: false, ignorePartial: false },
      ],
    },
  },
  {
    files: ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts'],
    ignores: ['**/config.ts', '**/*.{spec,fixture,child}.ts', 'libs/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'node:process',
          importNames: ['env', 'default'],
          message: 'Only config.ts reads the environment.',
        },
        { name: 'process', message: 'Only config.ts reads the environment.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat['recommended-latest'], jsxA11y.flatConfigs.strict],
    rules: {
      // The rule is off because no compiler memoizes the dashboard's components.
      'react-hooks/incompatible-library': 'off',
      // The dashboard renders text from the API as text.
      // Scripts and styles come from files (Content-Security-Policy).
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Render text as text.' },
        { selector: "JSXOpeningElement[name.name='style']", message: 'The policy allows no style elements.' },
        {
          selector:
            'JSXOpeningElement[name.name=/^(Grid|SimpleGrid|AppShell)$/], JSXAttribute[name.name=/^(hiddenFrom|visibleFrom)$/]',
          message:
            'This creates a style element, which the Content-Security-Policy forbids. Write a CSS module.',
        },
      ],
    },
  },
  {
    // By design, a describe() block is one function.
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Jest types its asymmetric matchers (`expect.objectContaining`) as any.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  {
    // A test may import modules that production code may not import.
    files: tests,
    ignores: ['libs/testing/**'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    // This folder runs the stack of `npm start`, which is not a project.
    files: ['libs/testing/src/stack/**'],
    rules: { '@nx/enforce-module-boundaries': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    extends: [js.configs.recommended, prettier],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        performance: 'readonly',
        module: 'readonly',
        require: 'readonly',
        __dirname: 'readonly',
      },
    },
    rules: { 'max-lines': ['error', { max: 300 }], 'max-lines-per-function': ['error', { max: 39 }] },
  },
);
