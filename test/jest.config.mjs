import { resolve } from 'node:path';
import { base } from '../jest.config.mjs';

/** The suites beside the code: one folder each, and `npm run test:<folder>` for each. */
export default {
  ...base,
  rootDir: resolve(import.meta.dirname, '..'),
  testMatch: ['<rootDir>/test/*/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/architecture/fixtures/'],
};
