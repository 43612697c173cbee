import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A key in the model gateway. */
interface ModelKey {
  readonly id: string;
  name: string;
  denied_tools: string[] | null;
}

/** Defects that a test can switch on in the model gateway. */
export interface Defects {
  /** The gateway acknowledges a rename but does not apply the rename. */
  losesRenames?: boolean;
  /** The list of keys shows outdated names after a key has been renamed. */
  readsStaleNames?: boolean;
  /** The gateway acknowledges the deletion of a provider but keeps the provider. */
  keepsProviders?: boolean;
}

export interface ModelGateway {
  readonly url: string;
  close(): Promise<void>;
}

interface State {
  readonly keys: Map<string, ModelKey>;
  readonly oldNames: Map<string, string>;
  provider: string | null;
  name: string;
}

/** Starts a small gateway in this process, which correctly implements the account routes that the clients use. */
export async function startModelGateway(defects: Defects = {}): Promise<ModelGateway> {
  const state: State = { keys: new Map(), oldNames: new Map(), provider: null, name: 'first' };
  const server = createServer((request, response) => void serve(state, defects, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function serve(
  state: State,
  defects: Defects,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, string | string[] | undefined>;
  const [status, json] = respond(state, defects, `${request.method} ${request.url}`, body);
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': randomUUID() });
  response.end(JSON.stringify(json));
}

type Answer = readonly [number, object];
const notFound: Answer = [404, { error: { code: 'not_found' } }];

function respond(state: State, defects: Defects, line: string, body: Record<string, unknown>): Answer {
  const [, method = '', keyId = '', rest = ''] = /^(\w+) \/v1\/account\/keys\/?([^/]*)(.*)$/.exec(line) ?? [];
  if (method !== '') return respondForKeys(state, defects, `${method}${rest}`, keyId, body);
  switch (line) {
    case 'GET /v1/account/me':
      return [200, { name: state.name }];
    case 'PATCH /v1/account/me':
      state.name = String(body['name']);
      return [200, { name: state.name }];
    case 'GET /v1/account/providers': {
      const { provider } = state;
      return [200, { data: [{ provider: 'mistral', connected: provider !== null, base_url: provider }] }];
    }
    case 'PUT /v1/account/providers':
      state.provider = String(body['base_url']);
      return [200, {}];
    case 'DELETE /v1/account/providers/mistral': {
      if (state.provider === null) return notFound;
      if (defects.keepsProviders !== true) state.provider = null;
      return [200, {}];
    }
    default:
      return notFound;
  }
}

function respondForKeys(
  { keys, oldNames }: State,
  defects: Defects,
  action: string,
  keyId: string,
  body: Record<string, unknown>,
): Answer {
  if (action === 'POST') {
    const key = { id: randomUUID(), name: String(body['name']), denied_tools: null };
    keys.set(key.id, key);
    return [201, { ...key, key: `secret-of-${key.id}` }];
  }
  if (action === 'GET') {
    const nameOf = ({ id, name }: ModelKey) =>
      defects.readsStaleNames === true ? (oldNames.get(id) ?? name) : name;
    return [200, { data: [...keys.values()].map((key) => ({ ...key, name: nameOf(key) })) }];
  }
  const key = keys.get(keyId);
  if (!key) return notFound;
  if (action === 'DELETE') keys.delete(keyId);
  if (action === 'PUT/toollist') key.denied_tools = body['denied_tools'] as string[];
  if (action === 'PATCH' && defects.losesRenames !== true) {
    oldNames.set(keyId, key.name);
    key.name = String(body['name']);
  }
  return [200, { ...key, key: `rotated-secret-of-${keyId}` }];
}
