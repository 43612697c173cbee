import { keyChanged, keyGrant, type KeyGrant } from '@gateway/contracts';
import type { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { GrantCache } from './grant-cache.ts';
import { OpenRequests } from './open-requests.ts';

const id = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`;
const createGrant = (digit: number, over: Partial<KeyGrant> = {}) =>
  keyGrant.parse({
    ...{ accountId: id(1), keyId: id(digit), epoch: 1, rateLimitRpm: 600, expiresAt: null },
    ...{ kTargetOverride: null, allowedTools: null, deniedTools: null },
    pruning: { mode: 'on', recallTarget: 0.95 },
    compression: { mode: 'lossless', applyWithoutTools: false },
    caching: { markers: true },
    ...over,
  });

/** Open requests, with a grant cache and epochs that the test controls. */
function openRequestsOf() {
  const world = {
    now: 1_000_000,
    /** The digest of an API key, which the tests also use as the id of the key. */
    answer: (keyId: string): Promise<KeyGrant | null> => Promise.resolve(createGrant(Number(keyId.at(-1)))),
    epochs: new Map<string, number>() as ReadonlyMap<string, number> | null,
    tell: (() => undefined) as (change: object) => void,
  };
  const grants = new GrantCache({
    connected: true,
    onBroadcast: ({ subject }, fn) => {
      if (subject === keyChanged.subject) world.tell = fn as (change: object) => void;
    },
    onReconnect: () => undefined,
    call: (async (_: unknown, { keySha256 }: { keySha256: string }) => ({
      grant: await world.answer(keySha256),
    })) as unknown as Messaging['call'],
  });
  const open = new OpenRequests({
    grants,
    epochs: {
      read: (keys) => Promise.resolve(world.epochs && keys.map(({ keyId }) => world.epochs?.get(keyId) ?? 0)),
    },
    log: { info: () => undefined },
    now: () => world.now,
  });
  closing.push(open);
  const begin = async (digit: number) => {
    const grant = (await grants.get(id(digit)))!;
    const abort = new AbortController();
    return { grant, abort, add: () => open.add(abort, grant) };
  };
  return { world, open, begin };
}

const closing: OpenRequests[] = [];
afterEach(() => closing.splice(0).forEach((open) => open.close()));
const reasonOf = ({ signal }: AbortController) =>
  signal.aborted ? (signal.reason as GatewayError).code : null;

it('ends every open request with a revoked key, and no request with another key', async () => {
  const { world, begin } = openRequestsOf();
  const [first, second, other] = [await begin(2), await begin(2), await begin(3)];
  for (const each of [first, second, other]) each.add();
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: true });
  expect([first, second, other].map(({ abort }) => reasonOf(abort))).toEqual([
    'invalid_api_key',
    'invalid_api_key',
    null,
  ]);
});

it('ignores a request that has already ended', async () => {
  const { world, open, begin } = openRequestsOf();
  const over = await begin(2);
  open.remove(over.add());
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: true });
  expect(reasonOf(over.abort)).toBeNull();
});

it('ends a request whose key was revoked between authentication and acceptance', async () => {
  const { world, open, begin } = openRequestsOf();
  const request = await begin(2);
  world.answer = () => Promise.resolve(null);
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: true });
  request.add();
  await open.check();
  expect(reasonOf(request.abort)).toBe('invalid_api_key');
});

it('ends a request when an epoch shows a change of the key without a broadcast', async () => {
  const { world, open, begin } = openRequestsOf();
  const request = await begin(2);
  request.add();
  world.epochs = new Map([[id(2), -1]]);
  world.now += 1_000;
  await open.check();
  expect(reasonOf(request.abort)).toBe('invalid_api_key');
});

it('ends a request when its key loses the scope for inference', async () => {
  const { world, open, begin } = openRequestsOf();
  const request = await begin(2);
  request.add();
  world.answer = () => Promise.resolve(createGrant(2, { epoch: 2, scopes: ['inference'] }));
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: false });
  await open.check();
  expect(reasonOf(request.abort)).toBeNull();
  world.answer = () => Promise.resolve(createGrant(2, { epoch: 3, scopes: ['read', 'manage'] }));
  world.tell({ accountId: id(1), keyId: id(2), epoch: 3, revoked: false });
  await open.check();
  expect(reasonOf(request.abort)).toBe('insufficient_scope');
});

it('ends a request when its key expires, even if the expiry was changed', async () => {
  const { world, open, begin } = openRequestsOf();
  const request = await begin(2);
  request.add();
  const expiresAt = new Date(world.now + 5_000).toISOString();
  world.answer = () => Promise.resolve(createGrant(2, { epoch: 2, expiresAt }));
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: false });
  await open.check();
  expect(reasonOf(request.abort)).toBeNull();
  world.now += 5_000;
  await open.check();
  expect(reasonOf(request.abort)).toBe('expired_api_key');
});

it('lets requests continue while lookups fail, and ends the requests once a lookup finds the key revoked', async () => {
  const { world, open, begin } = openRequestsOf();
  const request = await begin(2);
  request.add();
  world.epochs = null;
  world.answer = () => Promise.reject(new Error('away'));
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: false });
  await open.check();
  expect(reasonOf(request.abort)).toBeNull();
  world.answer = () => Promise.resolve(null);
  await open.check();
  expect(reasonOf(request.abort)).toBe('invalid_api_key');
});

it('is not blocked by a lookup that never completes', async () => {
  const { world, open, begin } = openRequestsOf();
  const [asked, revoked] = [await begin(2), await begin(3)];
  for (const each of [asked, revoked]) each.add();
  world.answer = () => new Promise(() => undefined);
  world.tell({ accountId: id(1), keyId: id(2), epoch: 2, revoked: false });
  world.now += 1_000;
  void open.check();
  await new Promise((resolve) => setTimeout(resolve, 10));
  world.epochs = new Map([[id(3), -1]]);
  void open.check();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect([asked, revoked].map(({ abort }) => reasonOf(abort))).toEqual([null, 'invalid_api_key']);
});
