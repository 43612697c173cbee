import type { EgressGuard } from '@gateway/providers';
import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import { AnswerHandler } from './answer-handler.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from './upstream.ts';

export interface UndiciUpstreamOptions {
  readonly guard: EgressGuard;
  /** How long a provider may be silent, before its headers and between two chunks. */
  readonly idleTimeoutMs: number;
}

interface Address {
  readonly origin: string;
  readonly path: string;
}

/** One connection pool a provider address. Every address is resolved and checked by the egress guard. */
export class UndiciUpstream implements Upstream {
  readonly #agent: Agent;
  readonly #guard: EgressGuard;
  /** Addresses that the guard let pass: what it allows does not change while the process runs. */
  readonly #addresses = new LRUCache<string, Address>({ max: 10_000 });

  constructor({ guard, idleTimeoutMs }: UndiciUpstreamOptions) {
    this.#guard = guard;
    this.#agent = new Agent({
      connect: guard.connect,
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

  send(call: UpstreamCall): Promise<UpstreamReply> {
    return new Promise((resolve, reject) => {
      const { origin, path } = this.#addresses.get(call.url) ?? this.#parseAddress(call.url);
      const { method = 'POST', headers, body } = call;
      this.#agent.dispatch({ origin, path, method, headers, body }, new AnswerHandler(call, resolve, reject));
    });
  }

  /** Throws `egress_denied` for an address that is denied by itself; where a name leads is checked when connecting. */
  #parseAddress(url: string): Address {
    this.#guard.checkUrl(url);
    const { origin, pathname, search } = new URL(url);
    const address = { origin, path: pathname + search };
    this.#addresses.set(url, address);
    return address;
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }
}
