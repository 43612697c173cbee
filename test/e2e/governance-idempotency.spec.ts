import { apiKeyList, createdApiKey } from '@gateway/contracts';
import { sharedStack } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import { createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { call, callFor, chatOnAll, invalid } from './governance.fixture.ts';
import { send, type Answer } from './http.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const reused = { ...invalid, status: 422, code: 'idempotency_key_reused' };
let account: TestAccount;
let other: TestAccount;

beforeEach(async () => {
  [account, other] = await Promise.all([createTestAccount(stack), createTestAccount(stack)]);
});

const create = (idempotencyKey: string, body: unknown, owner = account, path = '/v1/account/keys') =>
  send(baseUrl, { path, key: owner.apiKey, body, headers: { 'idempotency-key': idempotencyKey } });
const keysOf = async (owner: TestAccount) =>
  (await callFor(apiKeyList, 200, { path: '/v1/keys', key: owner.apiKey })).data;
const keyOf = (answer: Answer) => createdApiKey.parse(answer.json());

describe('an Idempotency-Key', () => {
  it('a repeated call with an Idempotency-Key creates only one key and returns the same response, including the secret', async () => {
    const idempotencyKey = randomUUID();
    const body = { name: 'once', expires_at: '2030-01-01T00:00:00+01:00' };
    const first = await create(idempotencyKey, body);
    const again = await create(idempotencyKey, { expires_at: '2030-01-01T00:00:00+01:00', name: 'once' });
    const alias = await create(idempotencyKey, body, account, '/v1/keys');
    expect([first, again, alias].map(({ status }) => status)).toEqual([201, 201, 201]);
    expect([first, again, alias].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      undefined,
      'true',
      'true',
    ]);
    expect(again.json()).toEqual(first.json());
    expect(alias.json()).toEqual(first.json());
    expect(await keysOf(account)).toHaveLength(2);
    for (const { status } of await chatOnAll(keyOf(again).key)) expect(status).toBe(200);
  });

  it('concurrent calls with one Idempotency-Key create only one key', async () => {
    const idempotencyKey = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create(idempotencyKey, { name: 'at once' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => keyOf(answer).key)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await keysOf(account)).toHaveLength(2);
  });

  it('an Idempotency-Key cannot be reused for a different request', async () => {
    const idempotencyKey = randomUUID();
    await create(idempotencyKey, { name: 'one' });
    expectError(await create(idempotencyKey, { name: 'another' }), reused);
    const rotate = { path: `/v1/account/keys/${account.keyId}/rotate`, key: account.apiKey, method: 'POST' };
    expectError(await send(baseUrl, { ...rotate, headers: { 'idempotency-key': idempotencyKey } }), reused);
    expect(await keysOf(account)).toHaveLength(2);
  });

  it('repeated rotations with an Idempotency-Key rotate the key only once', async () => {
    const rotated = await createTestKey(baseUrl, account.apiKey, { name: 'rotated once' });
    const rotate = (overlap_seconds: number, idempotencyKey: string) =>
      send(baseUrl, {
        path: `/v1/account/keys/${rotated.id}/rotate`,
        key: account.apiKey,
        body: { overlap_seconds },
        headers: { 'idempotency-key': idempotencyKey },
      });
    const idempotencyKey = randomUUID();
    const first = await rotate(600, idempotencyKey);
    const again = await rotate(600, idempotencyKey);
    expect(first.status).toBe(200);
    expect(again.json()).toEqual(first.json());
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectError(await rotate(601, idempotencyKey), reused);
    // The first secret still works, so the key was rotated only once.
    for (const secret of [rotated.key, keyOf(first).key])
      for (const { status } of await chatOnAll(secret)) expect(status).toBe(200);
  });

  it('an Idempotency-Key is scoped to the account, so another account may use the same value', async () => {
    const idempotencyKey = randomUUID();
    const [mine, theirs] = await Promise.all([
      create(idempotencyKey, { name: 'same' }),
      create(idempotencyKey, { name: 'same' }, other),
    ]);
    expect(keyOf(mine).key).not.toBe(keyOf(theirs).key);
    expect(theirs.headers['idempotent-replayed']).toBeUndefined();
    expect(await keysOf(other)).toHaveLength(2);
  });

  it('a failed call does not use up the call’s Idempotency-Key', async () => {
    const idempotencyKey = randomUUID();
    const past = { name: 'x', expires_at: '2020-01-01T00:00:00Z' };
    expectError(await create(idempotencyKey, past), { ...invalid, code: 'invalid_field' });
    expect((await create(idempotencyKey, { name: 'x' })).status).toBe(201);
  });

  it.each(['', ' ', 'two words', 'ü', 'x'.repeat(256)])(
    'the Idempotency-Key %j is rejected',
    async (idempotencyKey) => {
      const answer = await create(idempotencyKey, { name: 'x' });
      expectError(answer, { ...invalid, code: 'invalid_field', param: 'Idempotency-Key' });
      expect(await keysOf(account)).toHaveLength(1);
    },
  );

  it('an Idempotency-Key is optional; without it, every call creates a key', async () => {
    for (let i = 0; i < 2; i++)
      await call(201, { path: '/v1/keys', key: account.apiKey, body: { name: 'each' } });
    expect(await keysOf(account)).toHaveLength(3);
  });
});
