import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { base } from '../jest.config.mjs';

/**
 * Suites with tests that share one running stack. The other suites under test/ need no stack, or start separate
 * stacks that they disrupt.
 */
const withSharedStack = ['agents', 'authz', 'e2e'];

/**
 * The directory under test/. `npm run test:<dir>` sets the variable TEST_SUITE. If TEST_SUITE is empty, the
 * tests in all directories run.
 */
const suite = process.env.TEST_SUITE ?? '';
/** `nightly` runs only the long tests (`*.nightly.ts`). `both` runs the daily tests and the long tests. */
const kind = process.env.TEST_KIND ?? 'daily';
if (suite !== '' && !existsSync(join(import.meta.dirname, suite)))
  throw new Error(`There is no test/${suite}.`);

const files = { daily: '*.{spec,test}.ts', nightly: '*.nightly.ts', both: '*.{spec,test,nightly}.ts' }[kind];

export default {
  ...base,
  testMatch: [`<rootDir>/test/${suite === '' ? '**' : `${suite}/**`}/${files}`],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/architecture/fixtures/'],
  testSequencer: '<rootDir>/test/last-spec.sequencer.mjs',
  testTimeout: kind === 'daily' ? 60_000 : 3_600_000,
  ...(withSharedStack.includes(suite)
    ? {
        globalSetup: '<rootDir>/test/shared-stack.setup.mjs',
        globalTeardown: '<rootDir>/test/shared-stack.teardown.mjs',
      }
    : {}),
};
