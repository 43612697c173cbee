import { setTimeout as waitMs } from 'node:timers/promises';
import { Agent } from 'undici';

export interface ClientOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly clients: number;
  readonly seconds: number;
  /**
   * The client's mean pause in milliseconds after a rejection. The actual pause is random, between 0.5 and
   * 1.5 times the mean.
   */
  readonly comeBackMs: number;
}

/** The results of all clients, with latencies in milliseconds in ascending order. */
export interface Seen {
  readonly seconds: number;
  readonly servedMs: readonly number[];
  readonly shedMs: readonly number[];
  /** The number of broken connections plus the number of responses with a status other than 200 or 503. */
  readonly failed: number;
}

const body = JSON.stringify({
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello! What can you do?' }],
});

/** Runs several clients in parallel. Each client sends its next request as soon as it receives a response. */
export async function runClients(options: ClientOptions): Promise<Seen> {
  const agent = new Agent({ connections: options.clients });
  const [servedMs, shedMs]: [number[], number[]] = [[], []];
  let failed = 0;
  const began = performance.now();
  const work = async (): Promise<void> => {
    while (performance.now() - began < options.seconds * 1_000) {
      const { status, ms } = await ask(agent, options);
      if (status === 200) servedMs.push(ms);
      else if (status === 503) shedMs.push(ms);
      else failed += 1;
      if (status !== 200) await waitMs(options.comeBackMs * (0.5 + Math.random()));
    }
  };
  await Promise.all(Array.from({ length: options.clients }, work));
  const seconds = (performance.now() - began) / 1_000;
  await agent.close();
  const ascending = (one: number, other: number): number => one - other;
  return { seconds, servedMs: servedMs.sort(ascending), shedMs: shedMs.sort(ascending), failed };
}

async function ask(agent: Agent, { url, apiKey }: ClientOptions): Promise<{ status: number; ms: number }> {
  const sentAt = performance.now();
  try {
    const answer = await agent.request({
      ...{ origin: url, path: '/v1/chat/completions', method: 'POST', body },
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    });
    await answer.body.dump();
    return { status: answer.statusCode, ms: performance.now() - sentAt };
  } catch {
    return { status: 0, ms: performance.now() - sentAt };
  }
}

/**
 * Returns a percentile of the numbers, or NaN for an empty list.
 * @param share the percentile as a fraction, for example 0.99 for the 99th percentile
 */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}
