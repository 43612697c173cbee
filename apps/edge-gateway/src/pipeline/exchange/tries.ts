import type { ExclusionRule } from '@gateway/model-routing';
import type { Backend } from '../../backends/backend.ts';
import type { Failure } from '../../backends/failure.ts';

/** A call that got no answer for the client. */
export interface FailedTry extends Failure {
  readonly backend: Backend;
  readonly model: string;
  /** What the client is told if there is no better answer. Absent: the provider's own words are still at hand. */
  readonly error?: unknown;
}

/** A fallback that was not called: it cannot do what the request needs. */
export interface SkippedFallback {
  /** `<provider>/<model>` */
  readonly id: string;
  readonly rule: ExclusionRule;
}

/** A call that was ended since another one was answered first. Its provider may bill what it had read. */
export interface AbandonedCall {
  readonly provider: string;
  readonly model: string;
  /** Length of its body. */
  readonly bytes: number;
}

/** The calls that were made for a request. */
export interface Tries {
  /** All of them, hidden rounds included. */
  calls: number;
  /** How often somebody who had failed was called again. */
  repeats: number;
  /** In the order of the calls. */
  readonly failed: FailedTry[];
  /** The answer broke off before a byte of it went to the client: the next call is a further try. */
  broken: FailedTry | null;
  /** In their order. */
  readonly skipped: SkippedFallback[];
  readonly abandoned: AbandonedCall[];
}

export function createTries(): Tries {
  return { calls: 0, repeats: 0, failed: [], broken: null, skipped: [], abandoned: [] };
}
