import { availableParallelism } from 'node:os';
import { GatewayError } from '@gateway/errors';
import { hash, parseOptions, verify } from '@node-rs/argon2';

/**
 * The cost settings of argon2id, which are 19 MiB and two passes in a single thread (OWASP Password Storage
 * Cheat Sheet, RFC 9106 §4). Hashing one password takes about 20 ms on one core. If hashing used more memory, a
 * burst of logins could exhaust the process's memory.
 */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Maximum number of passwords waiting for a free processor core. If the queue is full, further calls fail. */
const defaultWaitingMax = 256;

/** Hashes and verifies passwords, one at a time on each spare processor core. */
export class PasswordHasher {
  readonly #slots: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #working = 0;
  #nobody: Promise<string> | undefined;

  constructor({ slots, waitingMax }: { readonly slots?: number; readonly waitingMax?: number } = {}) {
    this.#slots = slots ?? Math.max(1, availableParallelism() - 1);
    this.#waitingMax = waitingMax ?? defaultWaitingMax;
  }

  /**
   * Hashes a password and returns the hash in PHC string format. Throws `service_unavailable` if too many
   * passwords are waiting to be hashed.
   */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(normalize(password), passwordCost));
  }

  /**
   * Checks a password against its hash. A null hash is passed for unknown email addresses. The check of a null
   * hash takes the same time as the check of a stored hash, and returns false.
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const nobody = await this.#hashOfNobody();
    const matches = await this.#inTurn(() => verify(passwordHash ?? nobody, normalize(password)));
    return matches && passwordHash !== null;
  }

  /** Whether a hash was created with an outdated cost setting. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    return (
      memoryCost !== passwordCost.memoryCost ||
      timeCost !== passwordCost.timeCost ||
      parallelism !== passwordCost.parallelism
    );
  }

  /**
   * The hash that is used for unknown users. The hash is created only once. If the first attempt fails because the
   * hashing queue is full, the next call creates the hash.
   */
  #hashOfNobody(): Promise<string> {
    if (this.#nobody !== undefined) return this.#nobody;
    this.#nobody = this.hash('nobody has this password');
    this.#nobody.catch(() => (this.#nobody = undefined));
    return this.#nobody;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#working >= this.#slots) {
      if (this.#waiting.length >= this.#waitingMax) throw new GatewayError('service_unavailable');
      await new Promise<void>((resume) => this.#waiting.push(resume));
    } else this.#working += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#working -= 1;
    }
  }
}

/**
 * The hasher normalizes the password, because the same password can be entered as different code points (NIST
 * SP 800-63B §3.1.1.2).
 */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
