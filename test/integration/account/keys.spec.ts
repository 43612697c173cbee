import { createHmac } from 'node:crypto';
import {
  authenticateKey,
  createAccount,
  createKey,
  keyChanged,
  listKeys,
  revokeKey,
  setToolLists,
  type CreateApiKeyBody,
} from '@gateway/contracts';
import { createApiKey, keySha256, parseApiKey } from '@gateway/interchange';
import { createSealingKeyPair, openSealed, type Messaging } from '@gateway/messaging';
import { newId } from '@gateway/persistence';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import { connectAs, eventually, undoAll, type Stack, type Undo } from '../stack.fixture.ts';

const pepper = Buffer.alloc(32, 42);

describe('the account service', () => {
  let stack: Stack;
  let edge: Messaging;
  let operator: Messaging;
  let database: pg.Pool;
  let accountId: string;
  const changes: { accountId: string; keyId: string; epoch: number }[] = [];
  const recipient = createSealingKeyPair();

  const undo: Undo[] = [];

  beforeAll(async () => {
    stack = await startStack({
      apps: ['account'],
      env: { account: { KEY_PEPPER: pepper.toString('base64') } },
    });
    undo.push(() => stack.stop());
    [edge, operator] = await Promise.all([connectAs(stack, 'edge-gateway'), connectAs(stack, 'operator')]);
    undo.push(
      () => edge.close(),
      () => operator.close(),
    );
    edge.onBroadcast(keyChanged, (change) => changes.push(change));
    database = new pg.Pool({ connectionString: stack.dev.postgres.account, max: 1 });
    undo.push(() => database.end());
    // A test in this file stops the database server, so errors of the database connection are ignored.
    database.on('error', () => undefined);
    accountId = await makeAccount('the tests');
  }, 180_000);

  afterAll(() => undoAll(undo), 120_000);

  const makeAccount = async (name: string) => (await operator.call(createAccount, { name })).accountId;
  async function makeKey(body: CreateApiKeyBody = { name: 'a key' }, owner = accountId) {
    const request = { accountId: owner, body, recipientPublicKey: recipient.publicKey };
    const { key, sealedSecret } = await edge.call(createKey, request);
    return { key, secret: openSealed(sealedSecret, recipient.privateKey).toString('utf8') };
  }
  const grantOf = async (secret: string) =>
    (await edge.call(authenticateKey, { keySha256: keySha256(secret) })).grant;
  const changeOf = (keyId: string, epoch: number) =>
    eventually(() => changes.find((change) => change.keyId === keyId && change.epoch === epoch));

  it('only the first of several calls with one account name creates an account, even if the calls are concurrent', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => operator.call(createAccount, { name: 'once', isDemo: true })),
    );
    expect(new Set(replies.map((reply) => reply.accountId)).size).toBe(1);
    expect(replies.filter((reply) => reply.created)).toHaveLength(1);
    await expect(operator.call(createAccount, { name: 'once' })).resolves.toMatchObject({ created: false });
  });

  it('the account service creates a key from just a name, with the account limits', async () => {
    const { key, secret } = await makeKey({ name: 'only a name' });
    expect(key).toMatchObject({
      object: 'api_key',
      name: 'only a name',
      rate_limit_rpm: 600,
      daily_token_budget: 5_000_000,
      weekly_token_budget: 25_000_000,
      k_target_override: null,
      expires_at: null,
      last_used_at: null,
      allowed_tools: null,
      denied_tools: null,
      scopes: ['inference', 'read', 'manage'],
      inherited: ['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget'],
    });
    expect(parseApiKey(secret)).toEqual({ valid: true, prefix: key.prefix, last4: key.last4 });
  });

  it('a key can have different limits than its account', async () => {
    const limits = { rate_limit_rpm: 7, daily_token_budget: 0, k_target_override: 512 };
    const { key, secret } = await makeKey({ name: 'limited', ...limits });
    expect(key).toMatchObject({ ...limits, inherited: ['weekly_token_budget'] });
    await expect(grantOf(secret)).resolves.toMatchObject({ rateLimitRpm: 7, kTargetOverride: 512 });
  });

  it('the permissions of a key and the account preferences are returned together', async () => {
    const { key, secret } = await makeKey();
    await expect(grantOf(secret)).resolves.toEqual({
      accountId,
      keyId: key.id,
      expiresAt: null,
      rateLimitRpm: 600,
      scopes: ['inference', 'read', 'manage'],
      dailyTokenBudget: 5_000_000,
      weeklyTokenBudget: 25_000_000,
      onBudgetExhausted: 'pass',
      kTargetOverride: null,
      allowedTools: null,
      deniedTools: null,
      epoch: expect.any(Number),
      pruning: { mode: 'on', recallTarget: 0.95, recovery: true, native: [] },
      compression: { mode: 'lossless', applyWithoutTools: false },
      caching: { markers: true },
      responses: { plan: false },
      routing: {
        mode: 'auto',
        allowedProviders: null,
        providerOrder: [],
        maxCostUsdPerMtok: null,
        fallbacks: [],
      },
      contentLogging: false,
      retentionDays: 30,
      shadowShare: 0.05,
      shadowShareLearning: 0.2,
      isDemo: false,
    });
  });

  it('the account service stores a key as a peppered HMAC and never stores its secret', async () => {
    const { key, secret } = await makeKey();
    const { rows } = await database.query<{ key_hash: Buffer; row: string }>(
      'SELECT key_hash, to_jsonb(api_keys)::text AS row FROM api_keys WHERE id = $1',
      [key.id],
    );
    const sha256 = Buffer.from(keySha256(secret), 'hex');
    expect(rows[0]?.key_hash).toEqual(createHmac('sha256', pepper).update(sha256).digest());
    for (let at = 11; at < 45; at++) expect(rows[0]?.row).not.toContain(secret.slice(at, at + 8));
    expect(stack.logs('account')).not.toContain(secret.slice(11, 23));
  });

  it.each(['2020-01-01T00:00:00Z', new Date(Date.now() - 1_000).toISOString()])(
    'an expiry that is not in the future is rejected: %s',
    async (expires_at) => {
      await expect(makeKey({ name: 'late', expires_at })).rejects.toMatchObject({
        code: 'invalid_field',
        param: 'expires_at',
      });
    },
  );

  it('the account service reports that a key has expired, with the time of the expiry', async () => {
    const { secret, key } = await makeKey({
      name: 'brief',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    // The test sets the expiry to the past in the database.
    // A very short expiry could pass before the API key is created.
    const ended = new Date(Date.now() - 1_000).toISOString();
    await database.query(
      "UPDATE api_keys SET created_at = created_at - interval '1 hour', expires_at = $2 WHERE id = $1",
      [key.id, ended],
    );
    expect((await grantOf(secret))?.expiresAt).toBe(ended);
  });

  it('unknown and revoked keys get the same response', async () => {
    const { key, secret } = await makeKey();
    await edge.call(revokeKey, { accountId, keyId: key.id });
    const [revoked, unknown] = await Promise.all(
      [secret, createApiKey().key].map((text) => edge.call(authenticateKey, { keySha256: keySha256(text) })),
    );
    expect(revoked).toEqual({ grant: null });
    expect(unknown).toEqual(revoked);
  });

  it('keys are listed newest first, without secrets or revoked keys', async () => {
    const owner = await makeAccount('lists');
    const made = [];
    for (const name of ['one', 'two', 'three']) made.push(await makeKey({ name }, owner));
    await edge.call(revokeKey, { accountId: owner, keyId: made[1]!.key.id });
    const { keys } = await edge.call(listKeys, { accountId: owner });
    expect(keys.map((key) => key.name)).toEqual(['three', 'one']);
    for (const { secret } of made) expect(JSON.stringify(keys)).not.toContain(secret.slice(11));
    await expect(edge.call(listKeys, { accountId: newId() })).resolves.toEqual({ keys: [] });
  });

  it('a change of the allowed tools keeps the denied tools, and null differs from an empty list', async () => {
    const { key, secret } = await makeKey();
    const set = async (body: object) =>
      (await edge.call(setToolLists, { accountId, keyId: key.id, body })).key;
    await expect(set({ allowed_tools: ['a', 'ü"\\'] })).resolves.toMatchObject({
      allowed_tools: ['a', 'ü"\\'],
    });
    await expect(set({ denied_tools: [] })).resolves.toMatchObject({
      allowed_tools: ['a', 'ü"\\'],
      denied_tools: [],
    });
    await expect(set({ allowed_tools: null })).resolves.toMatchObject({
      allowed_tools: null,
      denied_tools: [],
    });
    await expect(grantOf(secret)).resolves.toMatchObject({ allowedTools: null, deniedTools: [] });
  });

  it('the size of the account’s tool lists is limited', async () => {
    const long = Array.from({ length: 4096 }, (_, i) => String(i).padEnd(250, 'x'));
    const owner = await makeAccount('long lists');
    const keys = await Promise.all(Array.from({ length: 5 }, () => makeKey({ name: 'long' }, owner)));
    const results = [];
    for (const { key } of keys) {
      const request = { accountId: owner, keyId: key.id, body: { allowed_tools: long } };
      results.push(await edge.call(setToolLists, request).catch((error: unknown) => error));
    }
    expect(results.at(-1)).toMatchObject({ code: 'invalid_field', param: 'allowed_tools' });
    expect((await edge.call(listKeys, { accountId: owner })).keys).toHaveLength(5);
  });

  it('every change increases and broadcasts the account’s epoch', async () => {
    const { key, secret } = await makeKey();
    const created = (await grantOf(secret))?.epoch ?? Number.NaN;
    await changeOf(key.id, created);
    await edge.call(setToolLists, { accountId, keyId: key.id, body: { denied_tools: ['x'] } });
    const changed = (await grantOf(secret))?.epoch ?? Number.NaN;
    expect(changed).toBeGreaterThan(created);
    await changeOf(key.id, changed);
    await edge.call(revokeKey, { accountId, keyId: key.id });
    const revoked = await eventually(() => changes.find((it) => it.keyId === key.id && it.epoch > changed));
    expect(revoked.accountId).toBe(accountId);
  });

  it('two changes to an account never have the same epoch', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => makeKey()));
    const { rows } = await database.query<{ epochs: string }>(
      'SELECT count(DISTINCT epoch) AS epochs FROM api_keys WHERE id = ANY($1)',
      [keys.map(({ key }) => key.id)],
    );
    expect(Number(rows[0]?.epochs)).toBe(keys.length);
  });

  it('a change to an unknown key, a revoked key or a key of another account returns not_found and changes nothing', async () => {
    const { key, secret } = await makeKey();
    const stranger = await makeAccount('a stranger');
    const epochBefore = (await grantOf(secret))?.epoch;
    const notFound = expect.objectContaining({ code: 'not_found' });
    for (const [owner, keyId] of [
      [stranger, key.id],
      [newId(), key.id],
      [accountId, newId()],
    ] as const) {
      const body = { denied_tools: ['x'] };
      await expect(edge.call(setToolLists, { accountId: owner, keyId, body })).rejects.toEqual(notFound);
      await expect(edge.call(revokeKey, { accountId: owner, keyId })).rejects.toEqual(notFound);
    }
    await expect(grantOf(secret)).resolves.toMatchObject({ deniedTools: null, epoch: epochBefore });
    await edge.call(revokeKey, { accountId, keyId: key.id });
    await expect(edge.call(revokeKey, { accountId, keyId: key.id })).rejects.toEqual(notFound);
    await expect(makeKey({ name: 'x' }, newId())).rejects.toEqual(notFound);
  });

  it('the last use of a key is recorded at most once a minute', async () => {
    const { key, secret } = await makeKey();
    const read = async () =>
      (await edge.call(listKeys, { accountId })).keys.find(({ id }) => id === key.id)?.last_used_at;
    await grantOf(secret);
    const first = await eventually(read);
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(30_000);
    await grantOf(secret);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await expect(read()).resolves.toBe(first);
  });

  it('the account service reports that the database is down, and resumes when the database is available again', async () => {
    const { secret } = await makeKey();
    await stack.service('postgres').stop();
    await expect(grantOf(secret)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(makeKey()).rejects.toMatchObject({ code: 'service_unavailable' });
    const ready = () => fetch(stack.dev.services['account']!.health_url!);
    expect((await ready()).status).toBe(503);
    await stack.service('postgres').start();
    await eventually(async () => ((await ready()).ok ? true : null));
    await expect(grantOf(secret)).resolves.not.toBeNull();
  }, 60_000);
});
