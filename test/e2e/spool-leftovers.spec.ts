import { sharedStack } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { findSpoolFilesNaming } from './account-keys.fixture.ts';
import { readDeletedAccounts } from './deleted-account.fixture.ts';

const stack = sharedStack();
/**
 * The maximum time in milliseconds before a gateway deletes a spool file. A gateway closes each spool file
 * after a minute, and deletes the file when its events are stored. This test file runs near the end of the suite,
 * so the files are usually deleted already.
 */
const spoolWithinMs = 150_000;

it('no spool file contains an account that governance-leftovers.spec.ts deleted', async () => {
  const accounts = readDeletedAccounts(stack);
  // Run this file together with the other one, with `npm run test:e2e -- leftovers`.
  expect(accounts).not.toEqual([]);
  const findFiles = () => accounts.flatMap((accountId) => findSpoolFilesNaming(stack, accountId));
  await eventually(() => (findFiles().length === 0 ? true : undefined), spoolWithinMs);
}, 180_000);
