import { availableParallelism } from 'node:os';
import { GatewayError } from '@gateway/errors';
import { hash, parseOptions, verify } from '@node-rs/argon2';

/**
 * OWASP's Password Storage Cheat Sheet and RFC 9106 §4: argon2id, 19 MiB, two passes, one lane. About 20 ms of one core; a
 * larger memory would let a burst of log-ins exhaust the process's.
 */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Passwords that wait for their turn; who comes on top is told to come again. */
const defaultWaitingMax = 256;

/** Hashes and checks passwords, as many at a time as there are cores. */
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

  /** In the PHC string format. Throws `service_unavailable` when too many wait. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(normalize(password), passwordCost));
  }

  /**
   * Whether it is the password of that hash. Null, for an e-mail address that nobody has, costs as much and is false.
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const nobody = await this.#hashOfNobody();
    const matches = await this.#inTurn(() => verify(passwordHash ?? nobody, normalize(password)));
    return matches && passwordHash !== null;
  }

  /** Whether a hash was made at another cost than today's. */
  isOutdated(passwordHash: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(passwordHash);
    return (
      memoryCost !== passwordCost.memoryCost ||
      timeCost !== passwordCost.timeCost ||
      parallelism !== passwordCost.parallelism
    );
  }

  /** Made once. One that could not be made, since too many waited, is made by who comes next. */
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

/** One password may be typed as several sequences of code points (NIST SP 800-63B §3.1.1.2). */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
