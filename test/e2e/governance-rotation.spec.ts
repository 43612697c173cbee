import { apiKeyList, rotatedApiKey } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { call, callFor, chatOnAll, invalid, onceEffective, untilEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const revoked = { status: 401, type: 'authentication_error', code: 'invalid_api_key' };
const ended = { ...revoked, code: 'expired_api_key' };
const rotatedKey = rotatedApiKey.strict();

let account: TestAccount;
beforeAll(async () => {
  account = await createTestAccount(stack);
});

const make = (name: string) => createTestKey(baseUrl, account.apiKey, { name });
const rotate = (id: string, body?: object) => {
  const sent = { method: 'POST', path: `/v1/account/keys/${id}/rotate`, key: account.apiKey };
  return callFor(rotatedKey, 200, { ...sent, ...(body ? { body } : {}) });
};
const expectServed = async (secret: string) => {
  for (const { status } of await chatOnAll(secret)) expect(status).toBe(200);
};
const expectRefused = async (secret: string, error: typeof revoked) => {
  for (const answer of await chatOnAll(secret)) expectError(answer, error);
};

describe('a rotated key', () => {
  it('a rotated key has a new secret, and accepts the old secret for an hour by default', async () => {
    const before = await make('rotated');
    const after = await rotate(before.id);
    const { key, prefix, last4, previous_key_expires_at, ...kept } = after;
    expect(before).toMatchObject(kept);
    expect(key).not.toBe(before.key);
    expect(key.startsWith(prefix) && key.endsWith(last4)).toBe(true);
    const overlapMs = Date.parse(previous_key_expires_at ?? '') - Date.now();
    expect(Math.abs(overlapMs - 3_600_000)).toBeLessThan(10_000);
    const listed = await callFor(apiKeyList, 200, { path: '/v1/keys', key: account.apiKey });
    expect(listed.data.find(({ id }) => id === before.id)).toMatchObject({ prefix, last4 });
    expect(JSON.stringify(listed)).not.toContain(key.slice(11));
    await expectServed(before.key);
    await expectServed(key);
  });

  it('every replica rejects a rotated key’s old secret after the overlap ends, even if the replica cached the key', async () => {
    const before = await make('overlap');
    await expectServed(before.key);
    const after = await rotate(before.id, { overlap_seconds: 6 });
    await untilEffective();
    await expectServed(before.key);
    await waitMs(Date.parse(after.previous_key_expires_at ?? '') - Date.now() + 50);
    await expectRefused(before.key, ended);
    await expectServed(after.key);
  }, 60_000);

  it('a rotated key’s old secret is rejected within a second if there is no overlap', async () => {
    const before = await make('at once');
    await expectServed(before.key);
    const after = await rotate(before.id, { overlap_seconds: 0 });
    expect(after.previous_key_expires_at).toBeNull();
    await onceEffective(() => expectRefused(before.key, revoked));
    await expectServed(after.key);
  });

  it('a key has at most two secrets: another rotation ends the oldest, and revocation ends all', async () => {
    const first = await make('twice');
    const second = await rotate(first.id, { overlap_seconds: 600 });
    const third = await rotate(first.id, { overlap_seconds: 600 });
    await onceEffective(() => expectRefused(first.key, revoked));
    await expectServed(second.key);
    await expectServed(third.key);
    await call(200, { method: 'DELETE', path: `/v1/keys/${first.id}`, key: account.apiKey });
    await onceEffective(() => expectRefused(second.key, revoked));
    await onceEffective(() => expectRefused(third.key, revoked));
  });

  it('a rotation accepts no body, an empty body or an empty object, and keeps the key’s scopes', async () => {
    const own = await createTestKey(baseUrl, account.apiKey, { name: 'own', scopes: ['inference'] });
    const sent = { method: 'POST', path: `/v1/account/keys/${own.id}/rotate`, key: account.apiKey };
    const json = { 'content-type': 'application/json' };
    await callFor(rotatedKey, 200, sent);
    await callFor(rotatedKey, 200, { ...sent, body: '', headers: json });
    const third = await callFor(rotatedKey, 200, { ...sent, body: {} });
    expect(third.scopes).toEqual(['inference']);
    await expectServed(third.key);
  });

  it('an API key cannot rotate its own secret', async () => {
    const own = await make('itself');
    const sent = { method: 'POST', path: `/v1/account/keys/${own.id}/rotate`, key: own.key };
    const refused = { status: 403, type: 'permission_error', code: 'own_key_change' };
    expectError(await send(baseUrl, sent), refused);
    await expectServed(own.key);
  });

  it('a rotated key keeps its expiry, which also ends the overlap; an expired key cannot be rotated', async () => {
    const soon = new Date(Date.now() + 4_000).toISOString();
    const brief = await createTestKey(baseUrl, account.apiKey, { name: 'brief', expires_at: soon });
    const rotated = await rotate(brief.id, { overlap_seconds: 600 });
    await waitMs(Date.parse(soon) - Date.now() + 50);
    await expectRefused(brief.key, ended);
    await expectRefused(rotated.key, ended);
    const again = { method: 'POST', path: `/v1/account/keys/${brief.id}/rotate`, key: account.apiKey };
    expectError(await send(baseUrl, again), { ...invalid, code: 'invalid_field' });
  });

  it.each([
    [{ overlap_seconds: -1 }, 'invalid_field', 'overlap_seconds'],
    [{ overlap_seconds: 604_801 }, 'invalid_field', 'overlap_seconds'],
    [{ overlap_seconds: 0.5 }, 'invalid_field', 'overlap_seconds'],
    [{ overlap_seconds: '60' }, 'invalid_field', 'overlap_seconds'],
    [{ overlap: 60 }, 'unknown_field', 'overlap'],
  ])('a rotation with %j is rejected', async (body, code, param) => {
    const path = `/v1/account/keys/${account.keyId}/rotate`;
    expectError(await send(baseUrl, { path, key: account.apiKey, body }), { ...invalid, code, param });
    expectError(
      await send(baseUrl, {
        path,
        key: account.apiKey,
        body: '{}',
        headers: { 'content-type': 'text/plain' },
      }),
      {
        ...invalid,
        status: 415,
        code: 'unsupported_media_type',
      },
    );
  });
});
