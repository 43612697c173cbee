import { sharedStack, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { z } from 'zod';
import type { CreatedKey } from './account.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { postChat, send, type Answer, type Sent } from './http.fixture.ts';

/** The maximum time in milliseconds until a change applies on every replica. */
const effectiveWithinMs = 1_000;
/** Extra time in milliseconds for a process that stalls briefly. */
const standstillMs = 2_000;
export const untilEffective = () => waitMs(effectiveWithinMs);

/** Repeats `holds` until it succeeds, for at most `effectiveWithinMs` + `standstillMs`. */
export async function onceEffective<T>(holds: () => Promise<T>): Promise<T> {
  const lastAt = performance.now() + effectiveWithinMs + standstillMs;
  for (;;) {
    const isLast = performance.now() > lastAt;
    try {
      return await holds();
    } catch (error) {
      if (isLast) throw error;
    }
    await waitMs(50);
  }
}

/** Two replicas of the edge service. A change through one edge replica also applies on the other replica. */
export function replicas(stack: StackUnderTest): readonly string[] {
  return [stack.baseUrl, edgeUrl(stack, 'tight')];
}

/** A request to the built-in sandbox provider, for which no credential is needed. */
export const hello = { model: 'sandbox/sandbox-1', messages: [{ role: 'user', content: 'hello' }] };

/** Sends a chat request with the given API key to each replica. Returns one response per replica. */
export function chatOnAll(secret: string): Promise<Answer[]> {
  return Promise.all(replicas(sharedStack()).map((edge) => postChat(edge, secret, hello)));
}

const anyObject = z.record(z.string(), z.unknown());

/** Calls the gateway and returns the response body. Expects the given status and a JSON object as the body. */
export async function call(status: number, sent: Sent): Promise<Record<string, unknown>> {
  return callFor(anyObject, status, sent);
}

/** Calls the gateway and parses the response body with a schema. Expects a response with the given status. */
export async function callFor<Schema extends z.ZodType>(
  schema: Schema,
  status: number,
  sent: Sent,
): Promise<z.output<Schema>> {
  const answer = await send(sharedStack().baseUrl, sent);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  return schema.parse(answer.json());
}

/** An API key's record as it appears in lists, without the secret. */
export function withoutSecret(created: CreatedKey): Omit<CreatedKey, 'key'> {
  const { key, ...shown } = created;
  expect(key).toMatch(/^sk-svc-[0-9A-Za-z]{49}$/);
  return shown;
}

/** The fields of an API key record, as decisions.md lists them. */
export const keyFields = [
  ...['id', 'object', 'name', 'prefix', 'last4', 'created_at', 'last_used_at', 'expires_at'],
  ...['rate_limit_rpm', 'daily_token_budget', 'weekly_token_budget', 'k_target_override'],
  ...['allowed_tools', 'denied_tools', 'scopes', 'inherited'],
];

/** Expects a response body with exactly the given fields. */
export function expectFields(body: unknown, fields: readonly string[]): void {
  expect(Object.keys(body as object).sort()).toEqual([...fields].sort());
}

export const invalid = { status: 400, type: 'invalid_request_error' };
export const notFound = { status: 404, type: 'not_found_error', code: 'not_found' };
