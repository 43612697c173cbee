import type { PartialAnswer, Sent } from '../e2e/http.fixture.ts';
import type { ChatKey } from './chat-operations.ts';
import type { OperationKind, RegisterAccess } from './history.ts';
import type { Edge, Recorder } from './recorder.ts';

/** An account in which the clients change keys, tool lists, providers and the routing policy. */
export interface ControlledAccount {
  readonly accountId: string;
  readonly keyId: string;
  /** The secret of the key with the scope `manage`. */
  readonly apiKey: string;
  /** The keys that clients created and have not revoked, by id. */
  readonly pool: Map<string, ChatKey>;
  /** The ids of all keys that the clients have created. */
  readonly known: Set<string>;
  readonly upstreamUrl: string;
}

/** The provider that the clients connect and delete, and that chats never use. */
const changingProvider = 'mistral';
const poolMax = 4;
/** The register value for a tool list without an additional denied tool. */
export const noMark = 'none';
const markPattern = /^mark_/;

const name = (keyId: string): string => `key:${keyId}`;
const list = (keyId: string): string => `list:${keyId}`;
const read = (register: string, value: string | null): RegisterAccess => ({
  register,
  action: 'read',
  value,
});
const write = (register: string, value: string | null): RegisterAccess => ({
  ...{ register, action: 'write', value },
});

interface Context {
  readonly recorder: Recorder;
  readonly account: ControlledAccount;
  readonly edge: Edge;
  readonly random: () => number;
}

type Change = (context: Context) => Promise<unknown>;

/** Sends one request that changes or reads the account. */
export async function changeAccount(
  recorder: Recorder,
  account: ControlledAccount,
  edge: Edge,
  random: () => number,
): Promise<void> {
  const context = { recorder, account, edge, random };
  const changes: readonly Change[] = [
    ...[createKey, listKeys, listKeys, renameKey, revokeKey, rotateKey, denyTool, denyTool],
    ...[putProvider, putProvider, listProviders, listProviders, deleteProvider],
    ...[putPolicy, readPolicy],
  ];
  await changes[Math.floor(random() * changes.length)]!(context);
}

interface Call {
  readonly kind: OperationKind;
  readonly sent: Sent;
  readonly id?: string;
  readonly subjectKeyId?: string;
  readonly accessesOf: (answer: PartialAnswer | null) => RegisterAccess[];
}

function send({ recorder, account, edge }: Context, { sent, ...call }: Call): Promise<PartialAnswer | null> {
  const { accountId, keyId, apiKey } = account;
  return recorder.send({ ...call, accountId, keyId, edge, sent: { ...sent, key: apiKey } });
}

async function createKey(context: Context): Promise<void> {
  const { account, recorder } = context;
  if (account.pool.size >= poolMax) return listKeys(context);
  const id = recorder.nextId();
  const body = { name: id, rate_limit_rpm: 100_000, scopes: ['inference'] };
  await send(context, {
    ...{ id, kind: 'key-create', sent: { path: '/v1/account/keys', body } },
    accessesOf: (answer) => {
      if (answer?.status !== 201) return [];
      const created = answer.json() as { id: string; key: string };
      account.known.add(created.id);
      account.pool.set(created.id, { id: created.id, secret: created.key, marks: [] });
      return [write(name(created.id), id), write(list(created.id), noMark)];
    },
  });
}

interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly denied_tools: readonly string[] | null;
}

const markOf = ({ denied_tools: denied }: ListedKey): string =>
  denied?.find((tool) => markPattern.test(tool)) ?? noMark;

export async function listKeys(context: Omit<Context, 'random'>): Promise<void> {
  const known = new Set(context.account.known);
  await send(context as Context, {
    kind: 'key-list',
    sent: { path: '/v1/account/keys' },
    accessesOf: (answer) => {
      if (answer?.status !== 200) return [];
      const { data } = answer.json() as { data: readonly ListedKey[] };
      const listed = new Map(data.map((key) => [key.id, key]));
      return [...known].flatMap((id) => {
        const key = listed.get(id);
        return [read(name(id), key?.name ?? null), read(list(id), key ? markOf(key) : null)];
      });
    },
  });
}

/** Sends a request that changes a random key. A 404 response proves that the key does not exist. */
async function changeKey(
  context: Context,
  render: (key: ChatKey, id: string) => Pick<Call, 'kind' | 'sent'> & { readonly writes: RegisterAccess[] },
): Promise<{ readonly key: ChatKey; readonly answer: PartialAnswer | null } | null> {
  const keys = [...context.account.pool.values()];
  const key = keys[Math.floor(context.random() * keys.length)];
  if (!key) return null;
  const id = context.recorder.nextId();
  const { writes, ...call } = render(key, id);
  const absent = [read(name(key.id), null), read(list(key.id), null)];
  const answer = await send(context, {
    ...call,
    id,
    subjectKeyId: key.id,
    accessesOf: (given) => (given?.status === 404 ? absent : writes),
  });
  return { key, answer };
}

async function renameKey(context: Context): Promise<void> {
  await changeKey(context, (key, id) => ({
    kind: 'key-rename',
    sent: { method: 'PATCH', path: `/v1/account/keys/${key.id}`, body: { name: id } },
    writes: [write(name(key.id), id)],
  }));
}

async function revokeKey(context: Context): Promise<void> {
  const changed = await changeKey(context, (key) => ({
    kind: 'key-revoke',
    sent: { method: 'DELETE', path: `/v1/account/keys/${key.id}` },
    writes: [write(name(key.id), null), write(list(key.id), null)],
  }));
  const status = changed?.answer?.status;
  // Chats keep using the revoked key for a while, so that the history shows when the revocation takes effect.
  if (changed && (status === 200 || status === 404))
    setTimeout(() => context.account.pool.delete(changed.key.id), 6_000).unref();
}

async function rotateKey(context: Context): Promise<void> {
  const changed = await changeKey(context, (key) => ({
    kind: 'key-rotate',
    sent: { path: `/v1/account/keys/${key.id}/rotate`, body: { overlap_seconds: 3_600 } },
    writes: [],
  }));
  if (changed?.answer?.status === 200) changed.key.secret = (changed.answer.json() as { key: string }).key;
}

async function denyTool(context: Context): Promise<void> {
  await changeKey(context, (key, id) => {
    const mark = `mark_${id.replace('-', '_')}`;
    key.marks.push(mark);
    return {
      kind: 'tool-list',
      sent: { method: 'PUT', path: `/v1/account/keys/${key.id}/toollist`, body: { denied_tools: [mark] } },
      writes: [write(list(key.id), mark)],
    };
  });
}

const providerOf = ({ accountId }: ControlledAccount): string => `provider:${accountId}`;

async function putProvider(context: Context): Promise<void> {
  const { account, recorder } = context;
  const id = recorder.nextId();
  const body = {
    ...{ provider: changingProvider, api_key: `sk-changing-${id}-0123456789` },
    base_url: `${account.upstreamUrl}/${id}`,
  };
  await send(context, {
    ...{ id, kind: 'provider-put', sent: { method: 'PUT', path: '/v1/account/providers', body } },
    accessesOf: () => [write(providerOf(account), id)],
  });
}

interface ListedProvider {
  readonly provider: string;
  readonly connected: boolean;
  readonly base_url: string | null;
}

export async function listProviders(context: Omit<Context, 'random'>): Promise<void> {
  const { account } = context;
  await send(context as Context, {
    kind: 'provider-list',
    sent: { path: '/v1/account/providers' },
    accessesOf: (answer) => {
      if (answer?.status !== 200) return [];
      const { data } = answer.json() as { data: readonly ListedProvider[] };
      const found = data.find(({ provider }) => provider === changingProvider);
      const value = found?.connected === true ? (found.base_url?.split('/').at(-1) ?? null) : null;
      return [read(providerOf(account), value)];
    },
  });
}

async function deleteProvider(context: Context): Promise<void> {
  const register = providerOf(context.account);
  await send(context, {
    kind: 'provider-delete',
    sent: { method: 'DELETE', path: `/v1/account/providers/${changingProvider}` },
    accessesOf: (answer) => (answer?.status === 404 ? [read(register, null)] : [write(register, null)]),
  });
}

const policyOf = ({ accountId }: ControlledAccount): string => `policy:${accountId}`;

async function putPolicy(context: Context): Promise<void> {
  const id = context.recorder.nextId();
  await send(context, {
    ...{ id, kind: 'policy-put', sent: { method: 'PATCH', path: '/v1/account/me', body: { name: id } } },
    accessesOf: () => [write(policyOf(context.account), id)],
  });
}

export async function readPolicy(context: Omit<Context, 'random'>): Promise<void> {
  const register = policyOf(context.account);
  await send(context as Context, {
    kind: 'policy-read',
    sent: { path: '/v1/account/me' },
    accessesOf: (answer) =>
      answer?.status === 200 ? [read(register, (answer.json() as { name: string }).name)] : [],
  });
}
