import base from '../jest.config.mjs';

export default {
  ...base,
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/../../tools/jest/node-environment.cjs',
  modulePathIgnorePatterns: [],
  testMatch: ['<rootDir>/**/*.spec.ts'],
  reporters: ['default', '<rootDir>/table.reporter.mjs'],
};
