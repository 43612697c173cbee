import { CircuitState, ConsecutiveBreaker, SamplingBreaker } from 'cockatiel';

/** So many failures, with no answer between them, open a breaker. */
const failuresInARow = 5;
/** So does more than half of the calls of ten seconds, from twenty calls on. */
const sample = { threshold: 0.5, duration: 10_000, minimumRps: 2 } as const;

/** When the failures of a backend are enough to open its breaker: whichever of the library's rules says so first. */
export class TripRules {
  readonly #rules = [new ConsecutiveBreaker(failuresInARow), new SamplingBreaker(sample)];

  noteSuccess(): void {
    for (const rule of this.#rules) rule.success(CircuitState.Closed);
  }

  /** Says whether the breaker opens. Each rule is told. */
  noteFailure(): boolean {
    return this.#rules.map((rule) => rule.failure(CircuitState.Closed)).includes(true);
  }
}
