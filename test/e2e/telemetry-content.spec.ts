import { accountDeletion, type RequestDetail } from '@gateway/contracts';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { findRowsNaming } from './deleted-account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { call } from './governance.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { completion, plainAnswer, startProvider, streamedAnswer } from './provider.fixture.ts';
import { listSinks } from './sinks.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
/** Texts that clients and models write, which the stack must never store in plaintext. */
const marks = {
  kept: 'the opening hours of the lighthouse at Neuwerk',
  notKept: 'the opening hours of the observatory at Potsdam',
  answered: 'It opens at nine and closes with the flood.',
};

let provider: ReplayProvider;
let willing: TestAccount;
let unwilling: TestAccount;

async function open(content_logging: boolean): Promise<TestAccount> {
  const account = await createTestAccount(stack);
  const base_url = `${provider.url}/v1`;
  await connectProvider(baseUrl, account.apiKey, {
    ...{ provider: 'openai', api_key: 'sk-upstream-0123456789', base_url },
  });
  await setLogging(account, content_logging);
  return account;
}

const setLogging = ({ apiKey }: TestAccount, content_logging: boolean) =>
  call(200, { method: 'PATCH', path: '/v1/account/me', key: apiKey, body: { policy: { content_logging } } });

beforeAll(async () => {
  provider = await startProvider();
  [willing, unwilling] = [await open(true), await open(false)];
}, 60_000);
afterEach(() => provider.reset());
afterAll(() => provider.close());

const asking = (about: string, more: object = {}) => ({
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: `Tell me ${about}.` }],
  tools: githubTools,
  ...more,
});
const answer = {
  ...plainAnswer,
  body: {
    ...completion,
    choices: [{ index: 0, message: { role: 'assistant', content: marks.answered }, finish_reason: 'stop' }],
  },
};

/**
 * Waits until the request's detail record includes the request contents. Request contents are stored
 * separately from the request log row.
 */
async function readKept(to: Answer, { apiKey } = willing): Promise<NonNullable<RequestDetail['content']>> {
  return eventually(async () => (await waitForRow(baseUrl, apiKey, requestIdOf(to))).content ?? undefined);
}

test('with content logging on, a request’s detail contains the request and the response byte for byte', async () => {
  provider.enqueue(null, answer);
  const body = JSON.stringify(asking(marks.kept, { seed: 1 })).replace(
    '"seed":1',
    '"seed":12345678901234567890',
  );
  const answered = await postChat(baseUrl, willing.apiKey, body);
  const { request, answer: said, expires_at } = await readKept(answered);
  expect(request).toEqual({
    ...{ encoding: 'utf8', text: body, bytes: Buffer.byteLength(body), is_cut: false },
  });
  expect(said?.text).toBe(answered.text);
  expect(said?.text).toContain(marks.answered);
  const keptDays = (Date.parse(expires_at) - Date.now()) / 86_400_000;
  expect(keptDays).toBeGreaterThan(29.9);
  expect(keptDays).toBeLessThan(30.1);
});

test('a stored stream equals the bytes that the client received', async () => {
  provider.enqueue(null, streamedAnswer(['It opens ', 'at nine.']));
  const answered = await postChat(baseUrl, willing.apiKey, asking(marks.kept, { stream: true, tools: [] }));
  expect((await readKept(answered)).answer?.text).toBe(answered.text);
});

test('credentials in a body are not stored', async () => {
  const cloud = { cloud_bearer_token_hosted: 'bearer-of-the-hosted-service-0123456789' };
  const answered = await postChat(
    baseUrl,
    willing.apiKey,
    asking(marks.kept, { model: 'nobody/x', ...cloud }),
  );
  expect(answered.status).toBeGreaterThanOrEqual(400);
  const { request, answer: said } = await readKept(answered);
  expect(JSON.parse(request.text)).toEqual(asking(marks.kept, { model: 'nobody/x' }));
  expect(said?.text).toBe(answered.text);
});

test('no other account can read an account’s stored contents', async () => {
  provider.enqueue(null, answer);
  const answered = await postChat(baseUrl, willing.apiKey, asking(marks.kept));
  await readKept(answered);
  const path = `/v1/account/requests/${requestIdOf(answered)}`;
  expect((await send(baseUrl, { path, key: unwilling.apiKey })).status).toBe(404);
});

test('with content logging off, no contents are stored; with content logging on, no contents are stored in plaintext', async () => {
  provider.enqueue(null, answer);
  const theirs = await postChat(baseUrl, unwilling.apiKey, asking(marks.notKept));
  expect((await waitForRow(baseUrl, unwilling.apiKey, requestIdOf(theirs))).content).toBeNull();
  provider.enqueue(null, answer);
  await readKept(await postChat(baseUrl, willing.apiKey, asking(marks.kept)));
  // The message bus carries request contents for planning, but does not store the contents.
  const kept = listSinks(stack).filter(({ name }) => /^(log of|redis$|postgres|files$|metrics)/.test(name));
  expect(kept.length).toBeGreaterThan(8);
  const found: string[] = [];
  for (const sink of kept) {
    for await (const bytes of sink.read())
      for (const [name, mark] of Object.entries(marks))
        if (bytes.includes(mark)) found.push(`${name}: ${sink.name}`);
  }
  expect(found).toEqual([]);
}, 60_000);

test('no further contents are stored after the account turns content logging off', async () => {
  await setLogging(willing, false);
  provider.enqueue(null, answer);
  const answered = await postChat(baseUrl, willing.apiKey, asking(marks.kept));
  expect((await waitForRow(baseUrl, willing.apiKey, requestIdOf(answered))).content).toBeNull();
  await setLogging(willing, true);
});

test('the deletion of an account also deletes its contents', async () => {
  const account = await open(true);
  provider.enqueue(null, answer);
  await readKept(await postChat(baseUrl, account.apiKey, asking(marks.kept)), account);
  const deleting = await send(baseUrl, { method: 'DELETE', path: '/v1/account/me', key: account.apiKey });
  const { id } = accountDeletion.parse(deleting.json());
  await eventually(async () => {
    const receipt = await send(baseUrl, { path: `/v1/account/deletions/${id}` });
    return accountDeletion.parse(receipt.json()).status === 'done' ? true : undefined;
  }, 30_000);
  // The account's last ledger entries may arrive and be deleted a little later.
  await eventually(async () =>
    (await findRowsNaming(stack, [account.accountId])).length === 0 ? true : undefined,
  );
}, 120_000);
