import base from '../jest.config.mjs';

/** The Jest configuration of the browser tests. All test files share one stack and one browser. */
export default {
  ...base,
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/../../tools/jest/node-environment.cjs',
  modulePathIgnorePatterns: [],
  testSequencer: '<rootDir>/../last-spec.sequencer.mjs',
  testMatch: [`<rootDir>/**/*.${process.env.TEST_KIND === 'nightly' ? 'nightly' : 'spec'}.ts`],
  testTimeout: 120_000,
  globalSetup: '<rootDir>/browser.setup.mjs',
  globalTeardown: '<rootDir>/browser.teardown.mjs',
};
