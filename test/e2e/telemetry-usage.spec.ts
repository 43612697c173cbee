import {
  analyticsDayList,
  keyUsageList,
  requestLogPage,
  usageDayList,
  usageSessionPage,
  usageSummary,
  type RequestLogEntry,
} from '@gateway/contracts';
import { signUpPerson, type ReplayProvider } from '@gateway/testing';
import { untilDayLasts } from '../integration/stack.fixture.ts';
import { createTestKey, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { callFor, hello } from './governance.fixture.ts';
import { postChat, send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import {
  baseUrl,
  makeTraffic,
  openAccount,
  sumLoggedRows,
  sumRows,
  waitForRows,
  type Traffic,
} from './telemetry.fixture.ts';

let provider: ReplayProvider;
let traffic: Traffic;
let rows: RequestLogEntry[];
let stranger: TestAccount;
let startedAt: string;

beforeAll(async () => {
  await untilDayLasts(60_000);
  startedAt = new Date(Date.now() - 1_000).toISOString();
  provider = await startProvider();
  [traffic, stranger] = [await makeTraffic(provider), await openAccount(provider)];
  rows = await waitForRows(traffic.account.apiKey, traffic.seen.length);
}, 180_000);
afterAll(() => provider.close());

const key = () => traffic.account.apiKey;
const primary = '/v1/account/usage';
const alias = '/v1/usage';
const today = () => new Date().toISOString().slice(0, 10);
const readSummary = (path = `${primary}/summary`, as = key()) =>
  callFor(usageSummary, 200, { path, key: as });

test('the log contains each request once, with the values that the client received', () => {
  const { seen } = traffic;
  expect(rows.map(({ id }) => id).sort()).toEqual(seen.map(({ id }) => id).sort());
  for (const request of seen) {
    expect(rows.find(({ id }) => id === request.id)).toMatchObject({
      key_id: request.keyId,
      session_id: request.sessionId,
      tools_offered: request.toolsIn,
      tools_in: request.toolsIn,
      tools_out: request.toolsOut,
      status: request.isError ? 'error' : 'ok',
    });
  }
  expect(seen.some(({ toolsIn, toolsOut }) => toolsOut < toolsIn)).toBe(true);
});

describe('the summary', () => {
  test('the usage summary exactly matches the totals of the traffic and the log', async () => {
    const summary = await readSummary();
    const sum = (read: (request: Traffic['seen'][number]) => number) =>
      traffic.seen.reduce((total, request) => total + read(request), 0);
    expect(summary).toMatchObject({
      requests: traffic.seen.length,
      errors: 1,
      prompt_tokens: sum(({ promptTokens }) => promptTokens),
      completion_tokens: sum(({ completionTokens }) => completionTokens),
      tools_in: sum(({ toolsIn }) => toolsIn),
      tools_out: sum(({ toolsOut }) => toolsOut),
      estimated_tokens_saved: sum(({ toolsIn, toolsOut }) => (toolsIn - toolsOut) * 100),
    });
    expect(summary).toMatchObject(sumRows(rows));
    expect(summary.cost_usd).toBeGreaterThan(0);
    expect(summary.compression_tokens_saved).toBeGreaterThan(0);
  });

  test('the usage summary covers the current UTC month by default', async () => {
    const { from, to } = await readSummary();
    expect([from.slice(0, 10), from.slice(10)]).toEqual([`${today().slice(0, 7)}-01`, 'T00:00:00.000Z']);
    expect(Date.parse(to)).toBeGreaterThan(Date.now());
    const query = `from=${startedAt}&to=${new Date(Date.now() + 1_000).toISOString()}`;
    expect(await readSummary(`${primary}/summary?${query}`)).toMatchObject(sumRows(rows));
    const before = await readSummary(`${primary}/summary?from=2026-01-01T00:00:00Z&to=${startedAt}`);
    expect(before).toMatchObject({ requests: 0, prompt_tokens: 0, cost_usd: 0 });
    const [newest] = rows;
    const { created_at } = newest!;
    expect(await readSummary(`${primary}/summary?to=${created_at}`)).toMatchObject(
      sumRows(rows.filter((row) => row.created_at < created_at)),
    );
  });

  test('the usage summary is also available under a second path', async () => {
    expect(await readSummary(`${alias}/summary`)).toEqual(await readSummary());
  });
});

test('daily totals are the sums of the day’s requests and include days without requests, also under the second path', async () => {
  const read = (path: string) => callFor(usageDayList, 200, { path, key: key() });
  const { data } = await read(`${primary}/daily?days=7`);
  expect(data).toHaveLength(7);
  const ofDay = (date: string) => rows.filter(({ created_at }) => created_at.startsWith(date));
  for (const day of data)
    expect(day).toEqual({ object: 'usage.day', date: day.date, ...sumRows(ofDay(day.date)) });
  expect(data.at(-1)?.date).toBe(today());
  expect(await read(`${alias}/daily?days=7`)).toEqual({ object: 'list', data });
  expect((await read(`${alias}/daily`)).data).toHaveLength(30);
});

test('key totals are the sums of the billing period’s requests for all keys, including unused and revoked keys', async () => {
  const unused = await createTestKey(baseUrl, key(), { name: 'unused' });
  const { account, second } = traffic;
  const read = () => callFor(keyUsageList, 200, { path: `${primary}/by-key`, key: key() });
  const usage = await read();
  const ofKey = (id: string) => sumRows(rows.filter(({ key_id }) => key_id === id));
  const named = { object: 'usage.key' } as const;
  expect(usage.data).toEqual([
    { ...named, key_id: account.keyId, name: 'first', ...ofKey(account.keyId) },
    { ...named, key_id: second.id, name: 'second', ...ofKey(second.id) },
    { ...named, key_id: unused.id, name: 'unused', ...sumRows([]) },
  ]);
  const { from, to } = await readSummary();
  expect([usage.period_start, usage.period_end]).toEqual([from, to]);
  await send(baseUrl, { method: 'DELETE', path: `/v1/account/keys/${second.id}`, key: key() });
  expect((await read()).data[1]).toMatchObject({ key_id: second.id, name: null, ...ofKey(second.id) });
  const before = await callFor(keyUsageList, 200, {
    path: `${primary}/by-key?from=2026-01-01T00:00:00Z&to=${startedAt}`,
    key: key(),
  });
  expect(before.data.map(({ requests }) => requests)).toEqual(before.data.map(() => 0));
});

describe('analytics by day', () => {
  test('analytics by day are sums of requests by status and model for an API key', async () => {
    const path = `${alias}/analytics/daily?days=2`;
    const { data } = await callFor(analyticsDayList, 200, { path, key: key() });
    expect(data).toHaveLength(2);
    for (const day of data) {
      const own = rows.filter(({ created_at }) => created_at.startsWith(day.date));
      const { models, statuses } = day;
      expect(day).toMatchObject(sumLoggedRows(own));
      expect(statuses).toMatchObject({
        ok: own.filter(({ status }) => status === 'ok').length,
        error: own.filter(({ status }) => status === 'error').length,
        cancelled: 0,
      });
      expect(day.pruned_requests).toBe(own.filter((row) => (row.tools_pruned ?? 0) > 0).length);
      const served = own.filter(({ model }) => model !== null && model !== 'nothing');
      for (const { provider: name, model } of served) {
        const expected = sumLoggedRows(own.filter((row) => row.provider === name && row.model === model));
        expect(models).toContainEqual({ provider: name, model, ...expected });
      }
      if (own.length === 0) expect(day).toMatchObject({ total_p50_ms: null, models: [] });
      else expect(day.total_p95_ms).toBeGreaterThanOrEqual(day.total_p50_ms!);
    }
  });

  test('analytics by day include overall totals and can be filtered by key, model and session', async () => {
    const { second } = traffic;
    const cases: [string, (row: RequestLogEntry) => boolean][] = [
      ['', () => true],
      [`&key_id=${second.id}`, (row) => row.key_id === second.id],
      ['&model=openai/gpt-4o-mini', (row) => row.model === 'gpt-4o-mini'],
      ['&model=groq/nothing', (row) => row.requested_model === 'groq/nothing'],
      ['&session_id=s-one', (row) => row.session_id === 's-one'],
      [
        `&session_id=s-two&key_id=${second.id}`,
        (row) => row.session_id === 's-two' && row.key_id === second.id,
      ],
    ];
    for (const [query, isWanted] of cases) {
      const path = `${alias}/analytics/daily?days=2${query}`;
      const { data, totals } = await callFor(analyticsDayList, 200, { path, key: key() });
      const own = rows.filter(isWanted);
      expect(totals).toMatchObject(sumLoggedRows(own));
      expect(totals?.sessions).toBe(new Set(own.flatMap(({ session_id }) => session_id ?? [])).size);
      expect(totals?.recall).toMatchObject({ sessions: 0, value: null, low: null, high: null });
      expect(data.reduce((sum, { requests }) => sum + (requests ?? 0), 0)).toBe(own.length);
    }
  });

  test('a person can use analytics by day on the primary path, and a key only on the second path', async () => {
    const person = await signUpPerson(baseUrl);
    const { data } = await callFor(analyticsDayList, 200, {
      path: `${primary}/analytics/daily?days=3`,
      key: person.accessToken,
    });
    expect(data.map(({ requests }) => requests)).toEqual([0, 0, 0]);
    const forbidden = { status: 403, type: 'permission_error' };
    const byKey = await send(baseUrl, { path: `${primary}/analytics/daily`, key: key() });
    expectError(byKey, { ...forbidden, code: 'session_required' });
    const byPerson = await send(baseUrl, { path: `${alias}/analytics/daily`, key: person.accessToken });
    expectError(byPerson, { ...forbidden, code: 'api_key_required' });
  });
});

describe('sessions', () => {
  const read = (query = '', as = key()) =>
    callFor(usageSessionPage, 200, { path: `/v1/account/sessions${query}`, key: as });
  const ofSession = (id: string) => rows.filter(({ session_id }) => session_id === id);

  test('a session’s figures are sums over its requests, and the most recently active session is first', async () => {
    const { data, total } = await read();
    expect(total).toBe(2);
    for (const session of data) {
      const own = ofSession(session.session_id);
      expect(session).toMatchObject({
        ...sumLoggedRows(own),
        first_request_at: own.at(-1)?.created_at,
        last_request_at: own[0]?.created_at,
        models: ['openai/gpt-4o-mini'],
      });
      const path = `/v1/account/requests?session_id=${session.session_id}`;
      const page = await callFor(requestLogPage, 200, { path, key: key() });
      expect([page.total, page.data]).toEqual([own.length, own]);
    }
    expect(data.map(({ session_id }) => session_id)).toEqual(['s-two', 's-one']);
  });

  test('the list of sessions is paginated and can be limited to a period', async () => {
    const whole = await read();
    expect(await read('?limit=1&offset=1')).toEqual({
      ...whole,
      data: whole.data.slice(1),
      limit: 1,
      offset: 1,
    });
    expect(await read('?offset=2')).toMatchObject({ total: 2, data: [] });
    expect(await read(`?to=${startedAt}`)).toMatchObject({ total: 0, data: [] });
  });
});

describe('the request log', () => {
  const read = (query: string) => callFor(requestLogPage, 200, { path: `/v1/requests?${query}`, key: key() });

  test('the request log can be filtered by key, model, session, status and time', async () => {
    const { second } = traffic;
    const middle = rows[4]!.created_at;
    const cases: [string, (row: RequestLogEntry) => boolean][] = [
      [`key_id=${second.id}`, (row) => row.key_id === second.id],
      ['model=gpt-4o-mini', (row) => row.model === 'gpt-4o-mini'],
      ['model=openai/gpt-4o-mini', (row) => row.model === 'gpt-4o-mini'],
      ['model=groq/nothing', (row) => row.requested_model === 'groq/nothing'],
      ['session_id=s-one', (row) => row.session_id === 's-one'],
      ['session_id=s-nobody', () => false],
      ['status=error', (row) => row.status === 'error'],
      [`from=${middle}`, (row) => row.created_at >= middle],
      [`to=${middle}`, (row) => row.created_at < middle],
      [
        `status=ok&session_id=s-two&key_id=${second.id}`,
        (row) => row.session_id === 's-two' && row.key_id === second.id,
      ],
    ];
    for (const [query, isWanted] of cases) {
      const wanted = rows.filter(isWanted);
      const { data, total } = await read(query);
      expect({ query, total, data }).toEqual({ query, total: wanted.length, data: wanted });
    }
  });
});

test.each([
  [`${primary}/summary`, 'from=yesterday', 'from'],
  [`${alias}/summary`, 'to=2020-01-01T00:00:00Z', 'to'],
  [`${primary}/summary`, 'since=1', 'since'],
  [`${primary}/daily`, 'days=0', 'days'],
  [`${alias}/daily`, 'days=many', 'days'],
  [`${alias}/analytics/daily`, 'days=367', 'days'],
  ['/v1/account/sessions', 'limit=501', 'limit'],
  ['/v1/account/sessions', 'offset=-1', 'offset'],
  ['/v1/account/requests', 'status=fine', 'status'],
  ['/v1/requests', 'key_id=mine', 'key_id'],
  ['/v1/requests', 'limit=1&limit=2', 'limit'],
])('%s?%s: the error names "%s"', async (path, query, param) => {
  const answer = await send(baseUrl, { path: `${path}?${query}`, key: key() });
  const code = param === 'since' ? 'unknown_field' : 'invalid_field';
  expectError(answer, { status: 400, type: 'invalid_request_error', code, param });
});

test('another account cannot read the usage, sessions or requests', async () => {
  await postChat(baseUrl, stranger.apiKey, hello);
  const [theirs] = await waitForRows(stranger.apiKey, 1);
  expect(await readSummary(undefined, stranger.apiKey)).toMatchObject({ requests: 1 });
  for (const path of [
    ...[`${primary}/summary`, `${primary}/daily`, `${primary}/by-key`, `${alias}/analytics/daily`],
    ...['/v1/account/sessions', '/v1/requests', `/v1/requests?key_id=${traffic.account.keyId}`],
  ]) {
    const { text } = await send(baseUrl, { path, key: stranger.apiKey });
    for (const mark of [traffic.account.keyId, traffic.second.id, 's-one', 'gpt-4o-mini', rows[0]!.id])
      expect({ path, shows: text.includes(mark) }).toEqual({ path, shows: false });
  }
  expect(theirs?.key_id).toBe(stranger.keyId);
  expect(await readSummary()).toMatchObject({ requests: rows.length });
});
