import type { Readable } from 'node:stream';
import type { EgressGuard, IncomingHeaders } from '@gateway/providers';
import { Agent } from 'undici';
import type { Upstream, UpstreamCall } from './upstream.ts';
import { toUpstreamError } from './upstream-error.ts';

export interface UndiciUpstreamOptions {
  readonly guard: EgressGuard;
  /** How long a provider may be silent, before its headers and between two chunks. */
  readonly idleTimeoutMs: number;
}

/** One connection pool a provider address. Every address is resolved and checked by the egress guard. */
export class UndiciUpstream implements Upstream {
  readonly #agent: Agent;
  readonly #guard: EgressGuard;

  constructor({ guard, idleTimeoutMs }: UndiciUpstreamOptions) {
    this.#guard = guard;
    this.#agent = new Agent({
      connect: { lookup: guard.lookup, timeout: 10_000 },
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connections: 2_048,
      pipelining: 1,
      // Providers and load balancers close idle connections after a minute or so; we let go first, so that a
      // request is not written into a connection that is being closed.
      keepAliveTimeout: 20_000,
      keepAliveMaxTimeout: 55_000,
      maxHeaderSize: 64 * 1024,
    });
  }

  async send(call: UpstreamCall): Promise<{ status: number; headers: IncomingHeaders; body: Readable }> {
    this.#guard.checkUrl(call.url);
    const url = new URL(call.url);
    try {
      const answer = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: call.headers,
        body: call.body,
        signal: call.signal,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    } catch (error) {
      throw toUpstreamError(error);
    }
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}
