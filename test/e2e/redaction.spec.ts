/**
 * Tests that one account's stored credentials cannot alter the log or the stored contents of other accounts.
 * All tests write to one log file. Each test reads only the lines that were written after the test started.
 */
import type { RequestDetail } from '@gateway/contracts';
import { encodeEventStream } from '@gateway/wire-formats';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import {
  connectProvider,
  createTestAccount,
  requestIdOf,
  waitForRow,
  type TestAccount,
} from './account.fixture.ts';
import { call } from './governance.fixture.ts';
import { postChat, send, type Answer } from './http.fixture.ts';
import { completion, plainAnswer, renderFrame, startProvider } from './provider.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const service = 'edge-gateway';
/** A stored credential that also occurs as ordinary text in the request contents of both accounts. */
const common = 'assistant-of-the-tenants';

let provider: ReplayProvider;
let hostile: TestAccount;
let bystander: TestAccount;

async function open(): Promise<TestAccount> {
  const account = await createTestAccount(stack);
  const policy = { content_logging: true };
  await call(200, { method: 'PATCH', path: '/v1/account/me', key: account.apiKey, body: { policy } });
  return account;
}

const connect = ({ apiKey }: TestAccount, api_key: string, name = 'openai') =>
  connectProvider(baseUrl, apiKey, { provider: name, api_key, base_url: `${provider.url}/v1` });
/**
 * Sends the body as text instead of an object. Otherwise, the search for leaked secrets would treat common
 * words in the body as secrets.
 */
const put = ({ apiKey: key }: TestAccount, body: object) =>
  send(baseUrl, { method: 'PUT', path: '/v1/account/providers', key, body: JSON.stringify(body) });
const connectCommon = async (account: TestAccount): Promise<void> => {
  const answer = await put(account, { provider: 'openai', api_key: common, base_url: `${provider.url}/v1` });
  expect(answer.status).toBe(200);
};

beforeAll(async () => {
  provider = await startProvider();
  provider.setControls(plainAnswer);
  [hostile, bystander] = [await open(), await open()];
  await connect(bystander, 'key-of-the-bystander-0123');
}, 60_000);
afterEach(() => provider.setControls(plainAnswer));
afterAll(() => provider.close());

const say = ({ apiKey }: TestAccount, content: string, more: object = {}) =>
  postChat(baseUrl, apiKey, {
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user', content }],
    ...more,
  });
const readKept = (answer: Answer, { apiKey }: TestAccount): Promise<NonNullable<RequestDetail['content']>> =>
  eventually(async () => (await waitForRow(baseUrl, apiKey, requestIdOf(answer))).content ?? undefined);

/**
 * Returns the parsed log lines after the position `from`. Throws an error if a line is not
 * JSON.
 */
const linesSince = (from: number) =>
  stack
    .logs(service)
    .slice(from)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('stored credentials of one account', () => {
  it('a stored credential of one account cannot corrupt the log or the stored contents of another account', async () => {
    const from = stack.logs(service).length;
    await connectCommon(hostile);
    const own = await say(hostile, `I am the ${common}.`);
    const other = await say(bystander, `I am the ${common}.`);
    expect([own.status, other.status]).toEqual([200, 200]);
    expect((await readKept(own, hostile)).request.text).toContain('I am the [redacted].');
    expect((await readKept(other, bystander)).request.text).toContain(`I am the ${common}.`);
    await eventually(() => {
      const ids = linesSince(from).map((line) => line['request_id']);
      return Promise.resolve(ids.includes(requestIdOf(other)) ? true : undefined);
    });
  });

  it('a credential that looks like a part of a log line is refused, with the field and the fix', async () => {
    const refused = [
      '"level":"info","service":"edge-gateway"',
      '","msg":"',
      '{"a":1}',
      'assistant',
      'EMPTY',
      'two words',
      'line\nbreak-0123',
    ];
    for (const api_key of refused) {
      const answer = await put(hostile, { provider: 'openai', api_key });
      const { error } = answer.json() as { error: { param: string; message: string } };
      expect({ api_key, status: answer.status, param: error.param }).toEqual({
        ...{ api_key, status: 400, param: 'api_key' },
      });
      expect(error.message).not.toContain(api_key);
    }
    const main = { provider: 'openai', api_key: 'key-of-a-test-0123' };
    for (const key of ['undefined', 'sk-ant-of-a-test-0123']) {
      const answer = await put(hostile, { ...main, additional_api_keys: [key] });
      expect(answer.json()).toMatchObject({ error: { param: 'additional_api_keys' } });
    }
  });

  it('a stored credential is also redacted in large contents, which a separate thread compresses', async () => {
    await connectCommon(hostile);
    const answer = await say(hostile, `${'x'.repeat(200_000)} ${common} ${'y'.repeat(200_000)}`);
    const { text } = (await readKept(answer, hostile)).request;
    expect(text).toContain('x [redacted] y');
    expect(text.length).toBeGreaterThan(400_000);
  });
});

/** Counts how often a task of the edge used more than a second of processor time without a pause. */
async function countLongStalls(): Promise<number> {
  const metrics = await (await fetch(stack.dev.services[service]?.metrics_url ?? '')).text();
  const read = (series: string): number =>
    Number(new RegExp(`^event_loop_stall_cpu_seconds_${series} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
  return read('count\\{[^}]*\\}') - read('bucket\\{[^}]*le="1"[^}]*\\}');
}

it('a small request cannot freeze an edge (256 KiB of token starts, with stored contents)', async () => {
  const before = await countLongStalls();
  await connect(hostile, 'key-of-the-hostile-account-0123');
  const content = 'eyJaaaaaaaa-'.repeat((256 * 1024) / 12);
  const answer = await say(hostile, content);
  expect(answer.status).toBe(200);
  expect((await readKept(answer, hostile)).request.text).toContain(content.slice(0, 1_000));
  expect(await countLongStalls()).toBe(before);
});

describe('a provider that quotes the credential', () => {
  const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYzz';
  beforeAll(() => connect(hostile, secret));
  const error = { message: `Incorrect key ${secret}.`, type: 'invalid_request_error', code: 'bad' };

  it('a credential quoted in an error inside a stream does not reach the client', async () => {
    const body = `${renderFrame('Hello')}data: ${JSON.stringify({ error })}\n\n`;
    provider.setControls({ status: 200, body, headers: { 'content-type': 'text/event-stream' } });
    const answer = await say(hostile, 'hello', { stream: true });
    expect(answer.text).toContain('Incorrect key [redacted].');
    expect(answer.text).not.toContain(secret);
    const row = await waitForRow(baseUrl, hostile.apiKey, requestIdOf(answer));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('a credential quoted in an error with status 200 does not reach the client', async () => {
    provider.setControls({ ...plainAnswer, body: { ...completion, choices: [], error } });
    const answer = await say(hostile, 'hello');
    expect(answer.text).not.toContain(secret);
  });

  it('a credential quoted in a binary frame does not reach the client, and the frame stays valid', async () => {
    await connectProvider(baseUrl, hostile.apiKey, {
      ...{ provider: 'hosted', api_key: secret, base_url: provider.url },
    });
    const text = (value: string) => ({ type: 'string', value }) as const;
    const headers = new Map([
      [':message-type', text('exception')],
      [':exception-type', text('validationException')],
      [':content-type', text('application/json')],
    ]);
    const payload = Buffer.from(JSON.stringify({ message: `Incorrect key ${secret}.` }));
    const start = new Map([
      [':message-type', text('event')],
      [':event-type', text('messageStart')],
      [':content-type', text('application/json')],
    ]);
    const body = Buffer.concat([
      Buffer.from(encodeEventStream({ headers: start, payload: Buffer.from('{"role":"assistant"}') })),
      Buffer.from(encodeEventStream({ headers, payload })),
    ]);
    provider.setControls({
      ...{ status: 200, body, headers: { 'content-type': 'application/vnd.amazon.eventstream' } },
    });
    const path = '/model/hosted%2Fanthropic.claude-3-haiku-20240307-v1:0/converse-stream';
    const messages = [{ role: 'user', content: [{ text: 'hello' }] }];
    const answer = await send(baseUrl, { path, key: hostile.apiKey, body: { messages } });
    expect(answer.text).toContain('Incorrect key [redacted].');
    expect(answer.text).not.toContain(secret);
  });
});
