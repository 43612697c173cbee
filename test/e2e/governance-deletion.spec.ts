import { accountDeletion, type AccountDeletion } from '@gateway/contracts';
import { sharedStack, signUpPerson, type ReplayProvider } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { findRowsNaming } from './deleted-account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { onceEffective } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { renderFrame, startProvider, streamedAnswer } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const hello = { model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'hello' }] };
const words = Array.from({ length: 20 }, (_, at) => `word ${at} `);

let provider: ReplayProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

const deleteMe = (key: string) => send(baseUrl, { method: 'DELETE', path: '/v1/account/me', key });
const readReceipt = async (id: string) =>
  accountDeletion.parse((await send(baseUrl, { path: `/v1/account/deletions/${id}` })).json());
const untilDone = (id: string): Promise<AccountDeletion> =>
  eventually(async () => {
    const receipt = await readReceipt(id);
    return receipt.status === 'done' ? receipt : undefined;
  });

/** Creates an account that has data in every service. */
async function createUsedAccount(): Promise<TestAccount & { readonly otherKey: string }> {
  const account = await createTestAccount(stack);
  await connectProvider(baseUrl, account.apiKey, {
    provider: 'openai',
    api_key: 'sk-upstream-0123456789',
    base_url: `${provider.url}/v1`,
  });
  const { key } = await createTestKey(baseUrl, account.apiKey, { name: 'another' });
  const toggle = { provider: 'openai', model_id: 'gpt-4o', is_enabled: false };
  await send(baseUrl, { path: '/v1/account/routing/models/toggle', key: account.apiKey, body: toggle });
  const answer = await postChat(baseUrl, account.apiKey, hello);
  expect(answer.status).toBe(200);
  await waitForRow(baseUrl, account.apiKey, requestIdOf(answer));
  // The vault stores audit events until the account service has stored them.
  await eventually(async () => {
    const tables = await findRowsNaming(stack, [account.accountId]);
    return !tables.includes('vault.audit_outbox') || undefined;
  });
  return { ...account, otherKey: key };
}

describe('a deleted account', () => {
  it('a deleted account is removed from every service with a receipt, without affecting other accounts', async () => {
    const [account, bystander] = await Promise.all([createUsedAccount(), createUsedAccount()]);
    const before = await findRowsNaming(stack, [account.accountId]);
    expect(before).toEqual(
      expect.arrayContaining(['account.accounts', 'account.api_keys', 'telemetry.request_log']),
    );
    expect(before).toContain('vault.credentials');

    const answer = await deleteMe(account.apiKey);
    expect(answer.status).toBe(202);
    const receipt = accountDeletion.parse(answer.json());
    expect(receipt.steps.map(({ service }) => service)).toEqual([
      'account',
      'edge-gateway',
      'provider-vault',
      'worker',
      'billing',
      'compressor',
      'edge-gateway-caches',
    ]);
    expect(receipt.steps[0]).toMatchObject({ status: 'done' });
    expect(answer.headers['location']).toBe(`/v1/account/deletions/${receipt.id}`);
    expect(answer.text).not.toContain(account.accountId);

    const done = await untilDone(receipt.id);
    expect(done.steps.map(({ status }) => status)).toEqual(done.steps.map(() => 'done'));
    expect(Date.parse(done.completed_at ?? '')).toBeGreaterThanOrEqual(Date.parse(done.requested_at));
    expect(await findRowsNaming(stack, [account.accountId, account.keyId])).toEqual([]);
    expect(await findRowsNaming(stack, [bystander.accountId])).toEqual(before);
    expect((await postChat(baseUrl, bystander.otherKey, hello)).status).toBe(200);
  }, 60_000);

  it('within a second of an account’s deletion, every replica rejects the account’s keys', async () => {
    const account = await createUsedAccount();
    const edges = [baseUrl, edgeUrl(stack, 'tight')];
    const keys = [account.apiKey, account.otherKey];
    for (const edge of edges)
      for (const key of keys) expect((await postChat(edge, key, hello)).status).toBe(200);
    expect((await deleteMe(account.apiKey)).status).toBe(202);
    const refused = { status: 401, type: 'authentication_error', code: 'invalid_api_key' };
    await onceEffective(async () => {
      for (const edge of edges)
        for (const key of keys) expectError(await postChat(edge, key, hello), refused);
    });
    expect((await deleteMe(account.otherKey)).status).toBe(401);
  }, 60_000);

  it('the open streams of a deleted account end, and the log rows of the streams are not written', async () => {
    const account = await createUsedAccount();
    const hang = 3 * Buffer.byteLength(renderFrame(words[0]!));
    provider.enqueue(null, { ...streamedAnswer(words), hang });
    const streamed = { ...hello, model: 'openai/gpt-4o', stream: true };
    const stream = postChat(baseUrl, account.otherKey, streamed);
    await eventually(() => provider.requests.at(-1));
    const start = performance.now();
    const receipt = accountDeletion.parse((await deleteMe(account.apiKey)).json());
    const { text, status } = await stream;
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(text).toContain('"code":"invalid_api_key"');
    expect(text).not.toContain('[DONE]');
    expect([200, 401]).toContain(status);
    await untilDone(receipt.id);
    // Within three seconds, every event gets from an edge's spool to the request log.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await findRowsNaming(stack, [account.accountId])).toEqual([]);
  }, 60_000);

  it('deleting an account ends its owner’s login sessions, removes the password, and frees the e-mail address for reuse', async () => {
    const person = await signUpPerson(baseUrl);
    const receipt = accountDeletion.parse((await deleteMe(person.accessToken)).json());
    await onceEffective(async () => {
      for (const edge of [baseUrl, edgeUrl(stack, 'tight')]) {
        const refused = await send(edge, { path: '/v1/account/me', key: person.accessToken });
        expectError(refused, { status: 401, type: 'authentication_error', code: 'invalid_session_token' });
      }
    });
    const { email, password } = person;
    const logIn = await send(baseUrl, { path: '/v1/auth/log-in', body: { email, password } });
    expectError(logIn, { status: 401, type: 'authentication_error', code: 'invalid_credentials' });
    await untilDone(receipt.id);
    expect(await findRowsNaming(stack, [person.accountId ?? 'none', email])).toEqual([]);
    const again = await send(baseUrl, { path: '/v1/auth/sign-up', body: { email, password } });
    expect(again.status).toBe(201);
  }, 60_000);

  it('the receipt of a deletion contains only one id', async () => {
    for (const id of [uuidv7(), 'x', '%00']) {
      const answer = await send(baseUrl, { path: `/v1/account/deletions/${id}` });
      expect([400, 404]).toContain(answer.status);
    }
    const unknown = await send(baseUrl, { path: `/v1/account/deletions/${uuidv7()}` });
    expectError(unknown, { status: 404, type: 'not_found_error', code: 'not_found' });
  });
});
