import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { base } from '../jest.config.mjs';

/** Suites whose tests share one running stack. The others need none, or start stacks of their own to break. */
const withSharedStack = ['authz', 'e2e'];

/** The directory under test/ (`npm run test:<dir>` sets it); all of them when it is not set. */
const suite = process.env.TEST_SUITE ?? '';
/** Takes the files that are too long for every day instead of the others. */
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
