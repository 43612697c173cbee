import { totalmem } from 'node:os';
import { GatewayError } from '@gateway/errors';
import type { ResilienceMetrics } from '../metrics/edge-metrics.ts';
import { AccountAmounts, type FairShareOptions, type ShareRefusal } from './fair-share.ts';

export interface ByteLedgerOptions extends FairShareOptions {
  /**
   * Whether the ledger counts bytes in memory or on disk. The type of storage appears in error messages and as a
   * label of the metric for held bytes.
   */
  readonly place: 'memory' | 'disk';
  readonly metrics: Pick<ResilienceMetrics, 'shed' | 'watchHeldBytes'>;
}

/**
 * Minimum time that a rejected client should wait before a retry, in milliseconds. Large requests hold their bytes
 * for several seconds.
 */
const retryAfterMs = 2_000;

const refusals = {
  memory: {
    full: 'The gateway holds as many request bytes in memory as it may. Retry later.',
    account:
      'The requests in flight of your account hold as many bytes in memory as the gateway allows it now. Wait until some of them end, then retry.',
  },
  disk: {
    full: 'The gateway holds as many upload bytes on disk as it may. Retry later, or send "model" as the first part.',
    account:
      'The uploads of your account hold as many bytes on disk as the gateway allows it now. Retry later, or send "model" as the first part.',
  },
} as const;

/**
 * Counts the bytes that the requests of each account hold, so that large bodies cannot use up the process's
 * memory or disk. All methods of the ledger are synchronous.
 */
export class ByteLedger {
  readonly #held: AccountAmounts;
  readonly #options: ByteLedgerOptions;

  constructor(options: ByteLedgerOptions) {
    this.#held = new AccountAmounts(options);
    this.#options = options;
    options.metrics.watchHeldBytes(options.place, () => this.#held.used);
  }

  /**
   * Counts additional bytes for an account.
   * @throws GatewayError `overloaded`, with the name of the exceeded limit, if the account is not allowed to
   * hold the additional bytes now
   */
  take(accountId: string, bytes: number): void {
    const refusal = this.#held.take(accountId, bytes);
    if (refusal !== null) throw this.#refuse(refusal, bytes);
  }

  release(accountId: string, bytes: number): void {
    this.#held.release(accountId, bytes);
  }

  #refuse(refusal: ShareRefusal, bytes: number): GatewayError {
    const { place, metrics } = this.#options;
    const reason = refusal === 'full' ? (`${place}_full` as const) : (`account_${place}` as const);
    metrics.shed.inc({ reason });
    return new GatewayError('overloaded', {
      message: refusals[place][refusal],
      detail: `shed: ${reason}, ${bytes} bytes more`,
      retryAfterMs: Math.round(retryAfterMs * (1 + Math.random())),
    });
  }
}

/**
 * Number of bytes per counting step. Requests count their bytes in steps, so that a small request rarely
 * updates the ledger.
 */
const stepBytes = 16 * 1024;

/** The bytes that a single request holds. */
export class HeldBytes {
  readonly #ledger: ByteLedger;
  readonly #accountId: string;
  /** Number of bytes that the request holds according to the ledger, in multiples of `stepBytes`. */
  #taken = 0;
  #held = 0;
  #isReleased = false;

  constructor(ledger: ByteLedger, accountId: string) {
    this.#ledger = ledger;
    this.#accountId = accountId;
  }

  /**
   * Adds bytes that the request holds until it ends. Callers that know the number of bytes in advance must
   * reserve the bytes before they allocate them. A call after the release has no effect, because the gateway
   * may still read the short body of a rejected request.
   * @throws GatewayError `overloaded` if the account is not allowed to hold the additional bytes now
   */
  add(bytes: number): void {
    if (this.#isReleased) return;
    const held = this.#held + bytes;
    if (held > this.#taken) {
      const missing = Math.ceil((held - this.#taken) / stepBytes) * stepBytes;
      this.#ledger.take(this.#accountId, missing);
      this.#taken += missing;
    }
    this.#held = held;
  }

  /** Releases all bytes that the request holds. Callers must call this method when the request has ended. */
  release(): void {
    this.#isReleased = true;
    this.#ledger.release(this.#accountId, this.#taken);
    this.#taken = 0;
    this.#held = 0;
  }
}

const mebibyte = 1024 * 1024;
const [leastBytes, mostBytes] = [64 * mebibyte, 512 * mebibyte];

/**
 * The default for `HELD_BYTES_MAX` is a quarter of the memory that this process may use, but at least 64 MiB
 * and at most 512 MiB. The remaining memory is for code, connections and garbage. If the container has a
 * memory limit, the process may use memory up to this limit. Without a container limit, the process may use
 * the machine's memory.
 */
export const defaultHeldBytesMax = chooseHeldBytesMax(process.constrainedMemory(), totalmem());

/**
 * @param constrained the container's memory limit in bytes. If the container has no limit, this value is 0 or
 * greater than `total`.
 */
export function chooseHeldBytesMax(constrained: number, total: number): number {
  const usable = constrained > 0 && constrained < total ? constrained : total;
  return Math.min(mostBytes, Math.max(leastBytes, Math.floor(usable / 4)));
}
