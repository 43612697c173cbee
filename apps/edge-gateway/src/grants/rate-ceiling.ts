import { invalidField } from '@gateway/errors';

/**
 * The operator's upper bound for `rate_limit_rpm`. API keys and policies with a higher limit are rejected.
 * Stored limits above the operator's upper bound are reduced when they are shown or applied.
 */
export class RateCeiling {
  readonly #rpmMax: number;

  /** @param rpmMax requests per minute, at least 1 */
  constructor(rpmMax: number) {
    this.#rpmMax = rpmMax;
  }

  /**
   * Checks a new rate limit.
   * @param param the name of the field in the caller's request.
   * @throws GatewayError `invalid_field` if the limit is above the operator's upper bound
   */
  require(rpm: number | null | undefined, param: string): void {
    if (typeof rpm === 'number' && rpm > this.#rpmMax)
      throw invalidField(param, `at most ${this.#rpmMax}, the limit set by the operator of this gateway`);
  }

  /**
   * Returns the rate limit that applies, which is the lower of the given limit and the operator's upper bound.
   */
  cap(rpm: number): number {
    return Math.min(rpm, this.#rpmMax);
  }

  /** Returns a record, such as a key or a policy, with the rate limit that applies. */
  capRecord<Limited extends { readonly rate_limit_rpm: number }>(record: Limited): Limited {
    const { rate_limit_rpm: rpm } = record;
    return rpm <= this.#rpmMax ? record : { ...record, rate_limit_rpm: this.#rpmMax };
  }
}
