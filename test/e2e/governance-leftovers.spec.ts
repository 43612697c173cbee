import { accountDeletion } from '@gateway/contracts';
import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { findKeysNaming } from './account-keys.fixture.ts';
import { findRowsNaming, noteDeletedAccount } from './deleted-account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { messageOf, renderResponse, responseOf } from './openai-responses.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const tools = githubTools.slice(0, 60);
/**
 * The documented maximum time in seconds for which Redis stores an account's data. The count of an account's
 * first requests is kept the longest, for 30 days.
 */
const keptSecondsMax = 30 * 24 * 3600;

let provider: ReplayProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

const log = Array.from({ length: 400 }, (_, at) => `12:00:${at} served request ${at} in ${at} ms`).join('\n');
const user = { role: 'user', content: 'Which pull requests are open?' };
const compressible = [
  user,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: tools[0]!.function.name, arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: log },
];

async function change(account: TestAccount, method: 'PUT' | 'PATCH', path: string, body: object) {
  const answer = await send(baseUrl, { method, path, key: account.apiKey, body });
  expect(answer.status).toBe(200);
}

async function chat(
  { apiKey }: TestAccount,
  body: object,
  response: ReplayControls = plainAnswer,
): Promise<string> {
  provider.enqueue(null, response);
  const answer = await postChat(baseUrl, apiKey, body, { 'x-svc-session-id': 'a session' });
  expect(answer.status).toBe(200);
  return requestIdOf(answer);
}

/** Creates an account and uses every feature that stores data for accounts. */
async function createBusyAccount(): Promise<TestAccount> {
  // With the default policy, the gateway counts an account's first requests before it selects shadow conversations.
  const account = await createTestAccount(stack, { hasOwnPolicy: false });
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, account.apiKey, { provider: 'openai', api_key: 'sk-upstream-1', base_url });
  await change(account, 'PATCH', '/v1/account/me', { policy: { content_logging: true } });
  const preferences = { compression: { mode: 'balanced' }, pruning: { mode: 'on' } };
  await change(account, 'PUT', '/v1/account/routing/preferences', preferences);
  await chat(account, { model: 'openai/gpt-4o-mini', messages: [user], tools });
  // This request omits tools, because the cheapest model may accept tools only through another API.
  await chat(account, { model: 'svc/cheap', messages: [user] });
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' };
  const response = renderResponse(responseOf([reasoning, messageOf('Done.')]), false);
  await chat(account, { model: 'openai/gpt-6.2-sol', messages: [user], tools }, response);
  const id = await chat(account, { model: 'openai/gpt-4o-mini', messages: compressible, tools });
  await eventually(async () => {
    const { compression } = await waitForRow(baseUrl, account.apiKey, id);
    return compression?.exact ?? undefined;
  });
  return account;
}

it('a deleted account leaves no count of first requests, context memo, stored original, Redis key or row', async () => {
  const account = await createBusyAccount();
  const { accountId } = account;
  const before = await eventually(async () => {
    const keys = await findKeysNaming(stack, accountId);
    const kinds = [
      ...[
        'budget:',
        'context:',
        'first-requests:',
        'model-pin:',
        'observed:',
        'original:',
        'reasoning:',
        'rpm:',
        'session:',
      ],
      'tokens:',
    ];
    return kinds.every((kind) => keys.some(({ key }) => key.startsWith(kind))) ? keys : undefined;
  });
  // If account deletion missed a Redis key without an expiry, the key would remain in Redis forever.
  const own = before.filter(({ key }) => key.includes(accountId));
  expect(own.filter(({ ttlSeconds }) => ttlSeconds < 0 || ttlSeconds > keptSecondsMax)).toEqual([]);

  const asked = await send(baseUrl, { method: 'DELETE', path: '/v1/account/me', key: account.apiKey });
  expect(asked.status).toBe(202);
  const { id } = accountDeletion.parse(asked.json());
  await eventually(async () => {
    const receipt = accountDeletion.parse(
      (await send(baseUrl, { path: `/v1/account/deletions/${id}` })).json(),
    );
    return receipt.status === 'done' || undefined;
  });

  const left = await findKeysNaming(stack, accountId);
  // The Redis key with the account's last epoch remains for a while, because this epoch invalidates API keys.
  expect(left.filter(({ key }) => !key.startsWith('epoch:'))).toEqual([]);
  expect(left.every(({ ttlSeconds }) => ttlSeconds > 0 && ttlSeconds <= 900)).toBe(true);
  expect(await findRowsNaming(stack, [accountId, account.keyId])).toEqual([]);
  // test/e2e/spool-leftovers.spec.ts runs later, and checks that no spool file contains the account.
  noteDeletedAccount(stack, accountId);
}, 90_000);
