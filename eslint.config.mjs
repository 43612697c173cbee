import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/**
 * Which kind of project may import which. `core` is types and pure functions, `contract` is what crosses
 * processes, `format` is what is spoken, `adapter` touches the world, `app` is a process.
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
  {
    sourceTag: 'type:core',
    bannedExternalImports: ['@nestjs/*', 'fastify', 'ioredis', 'bullmq', '@prisma/*', 'pg', '@nats-io/*'],
  },
  {
    sourceTag: 'type:format',
    bannedExternalImports: ['@nestjs/*', 'fastify', 'ioredis', 'bullmq', '@prisma/*', 'pg', '@nats-io/*'],
  },
];

const tests = ['**/*.spec.ts', 'test/**/*.ts', 'libs/testing/**/*.ts'];

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
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, ...tseslint.configs.strictTypeChecked, prettier],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { allow: [], depConstraints: moduleBoundaries, enforceBuildableLibDependency: false },
      ],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 40, IIFEs: true }],
      '@typescript-eslint/no-extraneous-class': 'off',
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
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/config.ts', '**/*.spec.ts', 'libs/testing/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
      ],
      'no-console': 'error',
    },
  },
  {
    // A describe() block is one function by construction, and a test may build what production code may not import.
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      '@nx/enforce-module-boundaries': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Jest types its asymmetric matchers (`expect.objectContaining`) as any.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
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
      },
    },
    rules: { 'max-lines': ['error', { max: 300 }], 'max-lines-per-function': ['error', { max: 40 }] },
  },
);
