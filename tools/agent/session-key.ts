/** Creates and revokes the API key of one agent session, and reads the key's usage. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Endpoint } from './configure.ts';

const createdKey = z.object({ id: z.string(), key: z.string() });
export type SessionKey = z.infer<typeof createdKey>;

const keyUsage = z.object({
  key_id: z.string(),
  requests: z.number().nullable(),
  errors: z.number().nullable(),
  prompt_tokens: z.number().nullable(),
  completion_tokens: z.number().nullable(),
  cached_tokens: z.number().nullable(),
  tools_in: z.number().nullable(),
  tools_out: z.number().nullable(),
  cost_usd: z.number().nullable(),
  provider_savings_usd: z.number().nullable(),
});
export type SessionUsage = z.infer<typeof keyUsage>;
const usageList = z.object({ data: z.array(keyUsage) });

/** @throws Error if the gateway rejects the request. */
async function call({ base, key }: Endpoint, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${text.slice(0, 300)}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

/** Creates an API key that may only send requests to models. */
export async function createKey(gateway: Endpoint, name: string): Promise<SessionKey> {
  return createdKey.parse(await call(gateway, 'POST', '/v1/account/keys', { name, scopes: ['inference'] }));
}

export async function revokeKey(gateway: Endpoint, id: string): Promise<void> {
  await call(gateway, 'DELETE', `/v1/account/keys/${id}`);
}

const READS_MAX = 10;
const BETWEEN_READS_MS = 1000;

/**
 * Reads the usage of an API key. A request appears in the log about a second after its end, so the function
 * reads the log until two reads agree.
 * @returns undefined if the log has no request with the key
 */
export async function readUsage(
  gateway: Endpoint,
  id: string,
  since: Date,
): Promise<SessionUsage | undefined> {
  const path = `/v1/account/usage/by-key?from=${since.toISOString()}`;
  let known: SessionUsage | undefined;
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    await delay(BETWEEN_READS_MS);
    const { data } = usageList.parse(await call(gateway, 'GET', path));
    const usage = data.find(({ key_id }) => key_id === id);
    if (reads > 0 && usage?.requests === known?.requests) return usage;
    known = usage;
  }
  return known;
}

const inDollars = (amount: number | null): string => (amount === null ? 'unknown' : `$${amount.toFixed(4)}`);
const inWords = (number: number | null): string => (number ?? 0).toLocaleString('en-US');

/** Renders a session's usage as readable text. */
export function describeUsage(usage: SessionUsage | undefined): string {
  if (usage === undefined) return '\nThe agent sent no request to the gateway.';
  const { requests, errors, cost_usd, provider_savings_usd } = usage;
  return [
    '',
    `Requests: ${inWords(requests)}, of which ${inWords(errors)} failed`,
    `Tokens: ${inWords(usage.prompt_tokens)} in, of which ${inWords(usage.cached_tokens)} cached, and ${inWords(usage.completion_tokens)} out`,
    `Tools: ${inWords(usage.tools_in)} offered by the agent, ${inWords(usage.tools_out)} sent to the model, summed over the requests`,
    `Cost: ${inDollars(cost_usd)}`,
    `Saved: ${inDollars(provider_savings_usd)}`,
  ].join('\n');
}
