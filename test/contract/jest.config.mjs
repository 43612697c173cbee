import base from '../jest.config.mjs';

export default {
  ...base,
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/../../tools/jest/node-environment.cjs',
  modulePathIgnorePatterns: [],
  // The shared Jest configuration has paths relative to a different root folder.
  testSequencer: '@jest/test-sequencer',
  testMatch: ['<rootDir>/**/*.spec.ts'],
  reporters: ['default', '<rootDir>/table.reporter.mjs'],
};
