import { accountDeletion, type AccountDeletion } from '@gateway/contracts';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import {
  connectProvider,
  createTestAccount,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from '../e2e/account.fixture.ts';
import { findRowsNaming } from '../e2e/deleted-account.fixture.ts';
import { postChat, send } from '../e2e/http.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';

const hello = { model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'hello' }] };
/**
 * The maximum time in milliseconds until another replica continues a deletion. If a replica is killed during a
 * deletion, its claim on the deletion expires after 8 s. Then another replica can continue the deletion.
 */
const resumesWithinMs = 60_000;

let stack: StackUnderTest;
const undo: Undo[] = [];
beforeAll(async () => {
  stack = await startStack();
  undo.push(() => stack.stop());
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

async function createUsedAccount(): Promise<TestAccount> {
  const account = await createTestAccount(stack);
  const credential = { provider: 'openai', api_key: 'sk-upstream-0123456789' };
  await connectProvider(stack.baseUrl, account.apiKey, credential);
  const answer = await postChat(stack.baseUrl, account.apiKey, hello);
  await waitForRow(stack.baseUrl, account.apiKey, requestIdOf(answer));
  return account;
}

async function requestDeletion({ apiKey }: TestAccount): Promise<string> {
  const answer = await send(stack.baseUrl, { method: 'DELETE', path: '/v1/account/me', key: apiKey });
  expect(answer.status).toBe(202);
  return accountDeletion.parse(answer.json()).id;
}

/** Returns the deletion receipt as soon as it has the expected state. */
function untilReceipt(id: string, isRight: (receipt: AccountDeletion) => boolean): Promise<AccountDeletion> {
  return eventually(async () => {
    const answer = await send(stack.baseUrl, { path: `/v1/account/deletions/${id}` });
    if (answer.status !== 200) return undefined;
    const receipt = accountDeletion.parse(answer.json());
    return isRight(receipt) ? receipt : undefined;
  }, resumesWithinMs);
}

const isDone = ({ status }: AccountDeletion) => status === 'done';
const doneSteps = ({ steps }: AccountDeletion) =>
  steps.filter(({ status }) => status === 'done').map(({ service }) => service);

async function restartAccount(): Promise<void> {
  await stack.service('account').kill('SIGKILL');
  await stack.service('account').start();
}

async function expectForgotten(account: TestAccount, id: string): Promise<void> {
  await untilReceipt(id, isDone);
  expect(await findRowsNaming(stack, [account.accountId, account.keyId])).toEqual([]);
}

/** Each service that deletes data, and the services that delete their data before it. */
const stops = [
  ['provider-vault', ['account', 'edge-gateway']],
  ['worker', ['account', 'edge-gateway', 'provider-vault']],
  ['billing', ['account', 'edge-gateway', 'provider-vault', 'worker']],
] as const;

it.each(stops)(
  'a deletion that is killed before the step in %s resumes at that step',
  async (service, before) => {
    const account = await createUsedAccount();
    await stack.service(service).stop();
    const id = await requestDeletion(account);
    const halfway = await untilReceipt(id, (receipt) => doneSteps(receipt).length === before.length);
    expect(doneSteps(halfway)).toEqual([...before]);
    // The account's API keys stop working immediately, even if other deletion steps take a long time.
    expect((await postChat(stack.baseUrl, account.apiKey, hello)).status).toBe(401);
    await restartAccount();
    await stack.service(service).start();
    await expectForgotten(account, id);
  },
  180_000,
);

it('all deletions that are killed at arbitrary moments complete later', async () => {
  const deletions: { account: TestAccount; id: string }[] = [];
  for (const afterMs of [0, 5, 20]) {
    const account = await createUsedAccount();
    deletions.push({ account, id: await requestDeletion(account) });
    await waitMs(afterMs);
    await restartAccount();
  }
  for (const { account, id } of deletions) await expectForgotten(account, id);
}, 180_000);

it('the deletion step of a service is repeated if the service dies during the step', async () => {
  const account = await createUsedAccount();
  const id = await requestDeletion(account);
  await Promise.all(
    ['provider-vault', 'worker', 'billing'].map((name) => stack.service(name).kill('SIGKILL')),
  );
  await Promise.all(['provider-vault', 'worker', 'billing'].map((name) => stack.service(name).start()));
  await expectForgotten(account, id);
}, 180_000);

it('an event that arrives after the deletion of its account is discarded', async () => {
  const account = await createUsedAccount();
  // The usage event stays in the queue until the account's deletion is complete.
  await stack.service('worker').stop();
  const answer = await postChat(stack.baseUrl, account.apiKey, hello);
  expect(answer.status).toBe(200);
  const id = await requestDeletion(account);
  await waitMs(2_000);
  await stack.service('worker').start();
  await expectForgotten(account, id);
  await waitMs(3_000);
  expect(await findRowsNaming(stack, [account.accountId, requestIdOf(answer)])).toEqual([]);
}, 180_000);
