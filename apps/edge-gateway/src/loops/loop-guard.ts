import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import type { Logger } from '@gateway/observability';
import type { OwnEndpoints } from '@gateway/providers';

/**
 * The Redis key under which all gateway processes share the deployment's id. The deployment's id is random,
 * so it reveals nothing to providers.
 */
const deploymentIdKey = 'edge:deployment-id';

/** The Redis commands that the loop guard uses. */
export interface DeploymentIdStore {
  /**
   * Stores a value under the Redis key unless the key already exists. Returns the previous value of the key,
   * or null if the key had no value.
   */
  set(key: string, value: string, nx: 'NX', get: 'GET'): Promise<string | null>;
}

interface LoopGuardOptions {
  readonly store: DeploymentIdStore;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The header that RFC 8586 defines for loop detection. Proxies must forward the loop detection header
 * unchanged.
 */
export const loopHeader = 'cdn-loop';

const markPrefix = 'agent-gateway-';
const mark = new RegExp(`^${markPrefix}[0-9a-f]{32}$`);
/** Maximum number of gateways through which a request may pass. A request above the maximum counts as a loop. */
const gatewaysMax = 8;
/** Interval at which the deployment's id is read again, in case Redis has lost it. */
const refreshMs = 60_000;
/** Number of earlier deployment ids that a gateway still recognizes while other gateways switch to a new id. */
const earlierIdsMax = 8;

/**
 * Recognizes requests that this deployment sent to itself. A request loops if a provider's address leads back to the
 * gateway. Each upstream request carries the deployment's mark in the header `CDN-Loop`. The gateway rejects a
 * request that arrives with the deployment's mark, so a loop costs only one extra request. Until the deployment's id
 * is known, each process uses its own random id.
 */
export class LoopGuard {
  readonly #options: LoopGuardOptions;
  readonly #known = new Set<string>();
  #own: string;
  readonly #timer: NodeJS.Timeout;

  constructor(options: LoopGuardOptions) {
    this.#options = options;
    this.#own = newMark();
    this.#known.add(this.#own);
    this.#timer = setInterval(() => void this.load(), refreshMs).unref();
  }

  /**
   * Reads the deployment's id from Redis, and creates one if Redis has none. The returned promise never
   * rejects.
   */
  async load(): Promise<void> {
    try {
      const proposed = newMark();
      const stored = (await this.#options.store.set(deploymentIdKey, proposed, 'NX', 'GET')) ?? proposed;
      if (mark.test(stored)) this.#adopt(stored);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'deployment id unavailable, loops between replicas cost more');
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Whether this deployment already sent the request, or the request has passed too many gateways.
   * @param header the `CDN-Loop` header of the request, usually undefined
   */
  isLoop(header: string | string[] | undefined): boolean {
    if (header === undefined) return false;
    const marks = listMarks(header);
    return marks.length > gatewaysMax || marks.some((each) => this.#known.has(each));
  }

  /**
   * Renders the `CDN-Loop` header of an upstream request from the marks of earlier gateways and the mark of this
   * deployment. Other marks in the client's `CDN-Loop` header are not forwarded, because they identify proxies
   * between the client and the gateway.
   * @param received the `CDN-Loop` header of the client's request
   */
  renderHeader(received: string | string[] | undefined): string {
    return received === undefined ? this.#own : [...listMarks(received), this.#own].join(', ');
  }

  #adopt(stored: string): void {
    this.#own = stored;
    this.#known.delete(stored);
    this.#known.add(stored);
    for (const oldest of this.#known) {
      if (this.#known.size <= earlierIdsMax) break;
      this.#known.delete(oldest);
    }
  }
}

function newMark(): string {
  return markPrefix + randomBytes(16).toString('hex');
}

/** Lists the gateway marks in a `CDN-Loop` header, without the parameters that other networks may append. */
function listMarks(header: string | string[]): string[] {
  return String(header)
    .split(',')
    .map((entry) => (entry.split(';', 1)[0] ?? '').trim().toLowerCase())
    .filter((entry) => mark.test(entry));
}

/**
 * Adds the addresses of this machine's network interfaces to the gateway's own addresses. A provider must not
 * have one of the gateway's own addresses.
 */
export function listOwnEndpoints(configured: Pick<OwnEndpoints, 'origins' | 'ports'>): OwnEndpoints {
  const interfaces = Object.values(networkInterfaces());
  return {
    ...configured,
    addresses: interfaces.flatMap((each) => each?.map(({ address }) => address) ?? []),
  };
}
