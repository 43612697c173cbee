import { getRoutingPolicy, routingPolicyChanged, type RoutingPolicy } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { withTimeout, type Logger } from '@gateway/observability';
import { LRUCache } from 'lru-cache';
import type { RoutingPolicies } from './routing-policies.port.ts';

/**
 * Maximum time in milliseconds that a plan waits for an account's routing policy. If the policy arrives too
 * late, a new conversation uses the priors.
 */
const waitMs = 30;
/**
 * How long routing policies and failed lookups are cached, in milliseconds. The worker broadcasts policy
 * changes.
 */
const keptMs = 10 * 60_000;
const missedMs = 30_000;

interface Kept {
  readonly policy: RoutingPolicy | null;
}

/**
 * Caches the accounts' routing policies in this process. The worker serves policy lookups and broadcasts
 * policy changes.
 */
export class NatsRoutingPolicies implements RoutingPolicies {
  readonly #messaging: Messaging;
  readonly #log: Logger;
  /** Routing policies keyed by account, or by account and version. */
  readonly #kept = new LRUCache<string, Kept>({
    max: 20_000,
    maxSize: 500_000,
    sizeCalculation: ({ policy }) => 1 + (policy?.buckets.length ?? 0),
  });
  readonly #pending = new Map<string, Promise<RoutingPolicy | null>>();

  constructor(messaging: Messaging, log: Logger) {
    this.#messaging = messaging;
    this.#log = log;
    messaging.onBroadcast(routingPolicyChanged, ({ policy }) => {
      // A lookup that is still in progress may return the previous policy.
      this.#pending.delete(policy.accountId);
      this.#kept.set(policy.accountId, { policy }, { ttl: keptMs });
    });
    messaging.onReconnect(() => {
      this.#pending.clear();
      this.#kept.clear();
    });
  }

  find(accountId: string, version: string | null): Promise<RoutingPolicy | null> | RoutingPolicy | null {
    const newest = this.#kept.get(accountId);
    if (newest !== undefined && (version === null || newest.policy?.version === version))
      return newest.policy;
    const key = version === null ? accountId : `${accountId}:${version}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept.policy;
    return withTimeout(this.#pending.get(key) ?? this.#load(key, accountId, version), waitMs, null);
  }

  #load(key: string, accountId: string, version: string | null): Promise<RoutingPolicy | null> {
    const keep = (policy: RoutingPolicy | null, ttl: number): RoutingPolicy | null => {
      if (this.#pending.get(key) === pending) {
        this.#pending.delete(key);
        this.#kept.set(key, { policy }, { ttl });
      }
      return policy;
    };
    const pending: Promise<RoutingPolicy | null> = this.#messaging
      .call(getRoutingPolicy, { accountId, version })
      .then(({ policy }) => keep(policy, keptMs))
      .catch((error: unknown) => {
        this.#log.debug({ err: error }, 'routing policy lookup failed, using priors');
        return keep(null, missedMs);
      });
    this.#pending.set(key, pending);
    return pending;
  }
}
