import { auditPage } from '@gateway/contracts';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { connectProvider, createTestAccount } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';

let stack: StackUnderTest;
const undo: Undo[] = [];
beforeAll(async () => {
  stack = await startStack();
  undo.push(() => stack.stop());
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

const readActions = async (key: string): Promise<string[] | undefined> => {
  const answer = await send(stack.baseUrl, { path: '/v1/account/audit', key });
  if (answer.status !== 200) return undefined;
  return auditPage.parse(answer.json()).data.map(({ action }) => action);
};

it('a credential saved while the account service is down is in the audit log once, even if the vault dies', async () => {
  const { apiKey } = await createTestAccount(stack);
  // The gateway has cached the grant, so it can store a credential without the account service.
  expect(await readActions(apiKey)).toBeDefined();
  await stack.service('account').stop();
  await connectProvider(stack.baseUrl, apiKey, { provider: 'openai', api_key: 'sk-upstream-0123456789' });
  await stack.service('provider-vault').kill('SIGKILL');
  await stack.service('provider-vault').start();
  await stack.service('account').start();
  const actions = await eventually(async () => {
    const read = await readActions(apiKey);
    return read?.includes('provider.saved') ? read : undefined;
  });
  expect(actions.filter((action) => action === 'provider.saved')).toHaveLength(1);
}, 120_000);

it('an export that cannot be recorded in the audit log is not served', async () => {
  const { apiKey } = await createTestAccount(stack);
  const path = '/v1/account/requests/export?format=jsonl';
  expect((await send(stack.baseUrl, { path, key: apiKey })).status).toBe(200);
  await stack.service('account').stop();
  expect((await send(stack.baseUrl, { path, key: apiKey })).status).toBe(503);
  await stack.service('account').start();
}, 120_000);
