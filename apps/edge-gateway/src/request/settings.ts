export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

export interface PipelineSettings {
  readonly bodyBytesMax: number;
  readonly planDeadlineMs: number;
  /** Undefined without a sandbox. */
  readonly sandboxUrl: string | undefined;
  /** Max repeats of a failed call if no other candidate is left. */
  readonly retriesMax: number;
  /** Max pause that a provider may ask for before a repeat. */
  readonly retryAfterMsMax: number;
  /** Time limits if another candidate is available: of a stream's first byte, and of a whole non-streaming response. */
  readonly firstByteMsMax: number;
  readonly plainAnswerMsMax: number;
  /** How long a plain call without tools may be silent before a hedge starts. 0 turns hedging off. */
  readonly hedgeAfterMs: number;
}
