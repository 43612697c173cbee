import { requestLogEntry } from '@gateway/contracts';
import type { ReplayProvider } from '@gateway/testing';
import { expectError } from './errors.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { baseUrl, makeTraffic, openAccount, waitForRows, type Traffic } from './telemetry.fixture.ts';

let provider: ReplayProvider;
let traffic: Traffic;

beforeAll(async () => {
  provider = await startProvider();
  traffic = await makeTraffic(provider);
  await waitForRows(traffic.account.apiKey, traffic.seen.length);
}, 120_000);
afterAll(() => provider.close());

const read = (query: string, key = traffic.account.apiKey, path = '/v1/account/requests/export') =>
  send(baseUrl, { path: `${path}${query}`, key });

test('an export in JSON lines has the entries of the request list, in the order of the list', async () => {
  const { status, text, headers } = await read('?format=jsonl');
  expect(status).toBe(200);
  expect(headers['content-type']).toContain('application/jsonl');
  expect(headers['content-disposition']).toBe('attachment; filename="requests.jsonl"');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => requestLogEntry.parse(JSON.parse(line)));
  expect(entries).toEqual(await waitForRows(traffic.account.apiKey, traffic.seen.length));
});

test.each(['/v1/account/requests/export', '/v1/requests/export'])(
  '%s returns CSV with a header line and one line per matching request',
  async (path) => {
    const { text, headers } = await read('?session_id=s-one', undefined, path);
    expect(headers['content-type']).toContain('text/csv');
    const [names = '', ...lines] = text.trimEnd().split('\r\n');
    const sessionAt = names.split(',').indexOf('session_id');
    expect(lines.map((line) => line.split(',')[sessionAt])).toEqual(
      traffic.seen.filter(({ sessionId }) => sessionId === 's-one').map(() => 's-one'),
    );
  },
);

test('an export rejects unknown filters and formats', async () => {
  const error = { status: 400, type: 'invalid_request_error', code: 'invalid_field', param: 'format' };
  expectError(await read('?format=xml'), error);
  expectError(await read('?limit=5'), { ...error, code: 'unknown_field', param: 'limit' });
});

test('another account’s export is empty', async () => {
  const { apiKey } = await openAccount(provider);
  expect((await read('?format=jsonl', apiKey)).text).toBe('');
});
