import { auditEvent, createdApiKey } from '@gateway/contracts';
import { sharedStack, signUpPerson, type ReplayProvider, type TestPerson } from '@gateway/testing';
import { uuidv7 } from 'uuidv7';
import { connectProvider, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { readAudit, waitForEvent } from './audit.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { send, type Answer } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';

const { baseUrl } = sharedStack();
const address = '203.0.113.77';
const userAgent = 'audit-test/1.0';
/** The test stack accepts `x-forwarded-for` headers from every client. */
const headers = { 'x-forwarded-for': address, 'user-agent': userAgent };
const upstreamKey = 'sk-upstream-0123456789-audit';

let provider: ReplayProvider;
let person: TestPerson;
let account: TestAccount;
beforeAll(async () => {
  provider = await startProvider();
  person = await signUpPerson(baseUrl);
  account = await createTestAccount(sharedStack());
});
afterAll(() => provider.close());

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET';
async function call(key: string, method: Method, path: string, body?: object): Promise<Answer> {
  const answer = await send(baseUrl, {
    ...{ method, path, key, headers },
    ...(body === undefined ? {} : { body }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path} returned ${answer.status}: ${answer.text}`);
  return answer;
}
const originOf = (answer: Answer) => ({
  address,
  user_agent: userAgent,
  request_id: answer.headers['x-request-id'],
});

describe('the audit log of an account', () => {
  it('the first event in an audit log is the registration of the account by a person', async () => {
    const registered = await waitForEvent(person.accessToken, 'account.registered');
    expect(registered).toMatchObject({
      object: 'audit_event',
      actor: { type: 'person', name: person.email },
      target: { type: 'account', id: person.accountId },
    });
  });

  it('the audit log has each change of a key with its author, content and client address, and never a secret', async () => {
    const token = person.accessToken;
    const actor = { type: 'person', name: person.email };
    const made = await call(token, 'POST', '/v1/account/keys', {
      name: 'Agent',
      rate_limit_rpm: 600,
      scopes: ['inference'],
    });
    const { id, key } = createdApiKey.parse(made.json());
    const target = { type: 'api_key', id, name: 'Agent' };
    expect(await waitForEvent(token, 'key.created')).toMatchObject({
      ...{ actor, target, ...originOf(made) },
      changes: { name: { from: null, to: 'Agent' }, rate_limit_rpm: { from: null, to: 600 } },
    });
    const changed = await call(token, 'PATCH', `/v1/account/keys/${id}`, { rate_limit_rpm: 60 });
    const updated = await waitForEvent(token, 'key.updated');
    expect(updated).toMatchObject({ actor, target, ...originOf(changed) });
    expect(updated.changes).toEqual({ rate_limit_rpm: { from: 600, to: 60 } });
    await call(token, 'PUT', `/v1/account/keys/${id}/toollist`, { denied_tools: ['erase'] });
    const lists = await waitForEvent(token, 'key.tool_lists_updated');
    expect(lists.changes).toEqual({ denied_tools: { from: null, to: ['erase'] } });
    const rotated = await call(token, 'POST', `/v1/account/keys/${id}/rotate`, {});
    expect(Object.keys((await waitForEvent(token, 'key.rotated')).changes ?? {})).toContain('last4');
    await call(token, 'DELETE', `/v1/account/keys/${id}`);
    expect(await waitForEvent(token, 'key.revoked')).toMatchObject({ actor, target, changes: null });
    const all = JSON.stringify(await readAudit(token));
    for (const secret of [key, createdApiKey.parse(rotated.json()).key])
      for (let at = 7; at < 45; at += 1) expect(all).not.toContain(secret.slice(at, at + 8));
  });

  it('the audit log has the changes of policy, routing and models that an API key made', async () => {
    const { apiKey, keyId } = account;
    const actor = { type: 'api_key', id: keyId, name: 'first' };
    await call(apiKey, 'PATCH', '/v1/account/me', { name: 'Renamed', policy: { retention_days: 7 } });
    expect(await waitForEvent(apiKey, 'account.updated')).toMatchObject({
      actor,
      target: { type: 'account', id: account.accountId, name: 'Renamed' },
      changes: { 'policy.retention_days': { from: 30, to: 7 } },
    });
    await call(apiKey, 'PUT', '/v1/account/routing/preferences', { pruning: { mode: 'off' } });
    expect(await waitForEvent(apiKey, 'routing.preferences_updated')).toMatchObject({
      actor,
      changes: { 'pruning.mode': { from: 'on', to: 'off' } },
    });
    const toggle = { provider: 'openai', model_id: 'gpt-4o', is_enabled: false };
    await call(apiKey, 'POST', '/v1/account/routing/models/toggle', toggle);
    expect(await waitForEvent(apiKey, 'routing.model_toggled')).toMatchObject({
      actor,
      target: { type: 'model', id: 'openai/gpt-4o' },
      changes: { is_enabled: { from: true, to: false } },
    });
  });

  it('the audit log has each saved, replaced and deleted provider credential, and never its secret', async () => {
    const { apiKey, keyId } = account;
    const credential = { provider: 'openai', api_key: upstreamKey, base_url: `${provider.url}/v1` };
    await connectProvider(baseUrl, apiKey, credential);
    const actor = { type: 'api_key', id: keyId };
    const target = { type: 'provider', id: 'openai', name: 'openai' };
    expect(await waitForEvent(apiKey, 'provider.saved')).toMatchObject({
      ...{ actor, target },
      changes: { base_url: { from: null, to: credential.base_url } },
    });
    await connectProvider(baseUrl, apiKey, { ...credential, api_key: `${upstreamKey}-new` });
    expect((await waitForEvent(apiKey, 'provider.rotated')).changes).toMatchObject({
      credential_hint: { to: '…-new' },
    });
    const deleted = await call(apiKey, 'DELETE', '/v1/account/providers/openai');
    expect(await waitForEvent(apiKey, 'provider.deleted')).toMatchObject({
      ...{ actor, target, ...originOf(deleted) },
    });
    expect(JSON.stringify(await readAudit(apiKey))).not.toContain(upstreamKey);
  });

  it('an export of the request log or the audit log is recorded before the first byte of the export is sent', async () => {
    const { apiKey } = account;
    const exported = await call(apiKey, 'GET', '/v1/account/requests/export?format=jsonl');
    expect((await readAudit(apiKey, { action: 'requests.exported' })).data[0]).toMatchObject({
      target: { type: 'log', id: 'requests', name: 'requests.jsonl' },
      ...originOf(exported),
    });
    const lines = await call(apiKey, 'GET', '/v1/account/audit/export?format=jsonl');
    const events = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => auditEvent.parse(JSON.parse(line)));
    expect(events[0]).toMatchObject({ action: 'audit.exported' });
    expect(events).toEqual((await readAudit(apiKey)).data);
    const csv = await call(apiKey, 'GET', '/v1/account/audit/export?action=account.updated');
    expect(csv.headers['content-disposition']).toBe('attachment; filename="audit.csv"');
    const [names = '', ...rows] = csv.text.trimEnd().split('\r\n');
    expect(names.split(',').slice(0, 4)).toEqual(['id', 'created_at', 'action', 'actor.type']);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.split(',')[2] === 'account.updated')).toBe(true);
  });

  it('the audit log is paged newest first, and can be filtered by action, actor and time', async () => {
    const { apiKey, keyId } = await createTestAccount(sharedStack());
    for (const name of ['a', 'b', 'c']) await createTestKey(baseUrl, apiKey, { name });
    const all = await readAudit(apiKey);
    expect(all).toMatchObject({ limit: 50, offset: 0, total: all.data.length });
    const times = all.data.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().reverse());
    const second = await readAudit(apiKey, { limit: '2', offset: '1' });
    expect(second).toMatchObject({ limit: 2, offset: 1, total: all.total });
    expect(second.data).toEqual(all.data.slice(1, 3));
    const byKey = all.data.filter(({ actor }) => actor.id === keyId);
    expect(byKey.length).toBeGreaterThanOrEqual(3);
    for (const actor of [keyId, 'first']) expect((await readAudit(apiKey, { actor })).data).toEqual(byKey);
    expect(await readAudit(apiKey, { actor: uuidv7() })).toMatchObject({ data: [], total: 0 });
    const made = await readAudit(apiKey, { action: 'key.created', actor: keyId });
    expect(made.data.map(({ target }) => target?.name)).toEqual(['c', 'b', 'a']);
    const since = made.data[1]!.created_at;
    const later = await readAudit(apiKey, { since });
    expect(later.data).toEqual(all.data.filter(({ created_at }) => created_at >= since));
    const earlier = await readAudit(apiKey, { until: since });
    expect(earlier.data).toEqual(all.data.filter(({ created_at }) => created_at < since));
  });

  it('the audit log rejects unknown filters and actions', async () => {
    const error = { status: 400, type: 'invalid_request_error', code: 'invalid_field', param: 'action' };
    const read = (query: string) =>
      send(baseUrl, { path: `/v1/account/audit?${query}`, key: account.apiKey });
    expectError(await read('action=key.stolen'), error);
    expectError(await read('limit=501'), { ...error, param: 'limit' });
    expectError(await read('since=yesterday'), { ...error, param: 'since' });
    expectError(await read('who=me'), { ...error, code: 'unknown_field', param: 'who' });
  });

  it('the audit log never shows events of another account, for any query', async () => {
    const other = await createTestAccount(sharedStack());
    const foreign = new Set((await readAudit(account.apiKey)).data.map(({ id }) => id));
    for (const query of [
      {},
      { actor: account.keyId },
      { actor: person.email },
      { action: 'account.updated' },
    ]) {
      const { data } = await readAudit(other.apiKey, query);
      expect(data.filter(({ id }) => foreign.has(id))).toEqual([]);
      expect(data.every(({ actor }) => actor.id === null || actor.id === other.keyId)).toBe(true);
    }
    const path = '/v1/account/audit/export?format=jsonl';
    const { text } = await send(baseUrl, { path, key: other.apiKey });
    for (const id of foreign) expect(text).not.toContain(id);
  });
});
