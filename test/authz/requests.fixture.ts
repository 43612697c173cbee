import { controllers } from '../../apps/edge-gateway/src/edge-gateway.module.ts';
import type { Access, Operation } from '../../apps/edge-gateway/src/openapi/operation.ts';
import { listRoutes } from '../../apps/edge-gateway/src/openapi/route-table.ts';
import { listErrors } from '../../apps/edge-gateway/src/openapi/access-rules.ts';
import { signUpPerson } from '@gateway/testing';
import { createTestAccount } from '../e2e/account.fixture.ts';
import { send, type Answer } from '../e2e/http.fixture.ts';
import { outcomeOf } from './outcome.fixture.ts';
import { rows, type AuthzRow, type Caller, type CredentialKind, type TargetKind } from './rows.fixture.ts';
import type { World } from './world.fixture.ts';

/** One path of a route, and the route's OpenAPI description. */
export interface Address {
  readonly method: string;
  /** The route's path with parameter names in braces. */
  readonly path: string;
  readonly access: Access;
  readonly operation: Operation;
  readonly row: AuthzRow;
  /** The error codes listed in the route's description. */
  readonly errors: readonly string[];
}

export const routes = listRoutes(controllers);

/**
 * Every path of every route, including aliases. Routes without an access rule, a description or test data are
 * omitted, and a test reports the omitted routes.
 */
export const addresses: readonly Address[] = routes.flatMap((route) => {
  const { method, paths, access, operation } = route;
  const row = rows[operation?.id ?? ''];
  if (!access || !operation || !row) return [];
  return paths.map((path) => ({ method, path, access, operation, row, errors: listErrors(route) }));
});

export interface PreparedCall {
  readonly method: string;
  /** The route's path with a value for each parameter. */
  readonly path: string;
  readonly body: unknown;
}

/** Prepares a call to the route for the given kind of target. The call has the credential of `caller`, if given. */
export async function prepareCall(
  world: World,
  address: Address,
  kind: TargetKind,
  caller?: Caller,
): Promise<PreparedCall> {
  const values = (await address.row.targets?.[kind](world)) ?? {};
  const path = address.path.replace(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  return { method: address.method, path, body: await address.row.body?.(world, caller) };
}

/** Sends a prepared call with the given headers. */
export function callAs(
  baseUrl: string,
  { method, path, body }: PreparedCall,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return send(baseUrl, { method, path, headers, ...(body === undefined ? {} : { body }) });
}

const credentialKinds: Readonly<Record<Access, readonly CredentialKind[]>> = {
  'api-key': ['key'],
  pipeline: ['key'],
  'api-key-or-session': ['key', 'session'],
  session: ['session'],
  public: [],
};

/** Pairs of a path and a kind of credential that may call the path. */
export const admitted = addresses.flatMap((address) =>
  credentialKinds[address.access].map((kind) => ({ address, kind })),
);

/**
 * Returns the owner with the given kind of credential. If the call would end the caller's access, returns a
 * new user or account instead.
 */
export async function chooseCaller(world: World, { row }: Address, kind: CredentialKind): Promise<Caller> {
  const { stack, baseUrl, owner } = world;
  if (kind === 'session') {
    const person = row.usesUp === true ? await signUpPerson(baseUrl) : owner.person;
    return { headers: { authorization: `Bearer ${person.accessToken}` }, person };
  }
  const { apiKey } = row.usesUp === true ? await createTestAccount(stack) : owner.account;
  return { headers: { authorization: `Bearer ${apiKey}` }, person: null };
}

/** Checks an authorized caller's response against the route's description. */
export function expectDescribed({ other }: World, { operation, path, row }: Address, answer: Answer): void {
  for (const mark of other.marks) expect(answer.text).not.toContain(mark);
  if (row.ownOutcome !== undefined) {
    expect(outcomeOf(path, answer)).toBe(row.ownOutcome);
    return;
  }
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: operation.answer.status });
  // The gateway passes provider responses on unchanged.
  const isProxied = operation.tag === 'Proxies';
  const type = operation.answer.contentType ?? 'application/json';
  if (!isProxied) expect(answer.headers['content-type']?.split(';', 1)[0]).toBe(type);
  if (!isProxied && type === 'application/json')
    expect(operation.answer.schema?.safeParse(answer.json()).error).toBeUndefined();
}
