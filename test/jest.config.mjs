import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { base } from '../jest.config.mjs';

/**
 * Suites that share one running stack between their tests. The other suites need no stack, or start separate
 * stacks in order to break them.
 */
const withSharedStack = ['authz', 'e2e'];

/** The directory under test/, set by `npm run test:<dir>`. Without it, all directories are run. */
const suite = process.env.TEST_SUITE ?? '';
/** Runs the long tests (`*.nightly.ts`) instead of the usual tests. */
const isNightly = process.env.TEST_NIGHTLY === '1';
if (suite !== '' && !existsSync(join(import.meta.dirname, suite)))
  throw new Error(`There is no test/${suite}.`);

const files = isNightly ? '*.nightly.ts' : '*.{spec,test}.ts';

export default {
  ...base,
  testMatch: [`<rootDir>/test/${suite === '' ? '**' : `${suite}/**`}/${files}`],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/architecture/fixtures/'],
  testSequencer: '<rootDir>/test/last-spec.sequencer.mjs',
  testTimeout: isNightly ? 3_600_000 : 60_000,
  ...(withSharedStack.includes(suite)
    ? {
        globalSetup: '<rootDir>/test/shared-stack.setup.mjs',
        globalTeardown: '<rootDir>/test/shared-stack.teardown.mjs',
      }
    : {}),
};
