/**
 * This configuration runs the unit specs next to the sources. The suites under test/ have their own
 * configuration.
 */
export const base = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/tools/jest/node-environment.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/', '<rootDir>/.nx/'],
};

export default {
  ...base,
  testTimeout: 30_000,
  testMatch: ['<rootDir>/{apps,libs}/*/src/**/*.spec.ts', '<rootDir>/tools/**/*.spec.ts'],
};
