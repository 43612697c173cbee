import base from '../jest.config.mjs';

export default {
  ...base,
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/../../tools/jest/node-environment.cjs',
  modulePathIgnorePatterns: [],
  // The paths in the settings of the other suites are relative to a different root.
  testSequencer: '@jest/test-sequencer',
  testMatch: ['<rootDir>/**/*.spec.ts'],
  reporters: ['default', '<rootDir>/table.reporter.mjs'],
};
