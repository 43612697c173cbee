export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

export interface PipelineSettings {
  readonly bodyBytesMax: number;
  readonly planDeadlineMs: number;
  /** Undefined when there is no sandbox. */
  readonly sandboxUrl: string | undefined;
  /** How often a call that failed is made again where nobody else can be asked. */
  readonly retriesMax: number;
  /** A provider that asks for a longer pause is not waited for. */
  readonly retryAfterMsMax: number;
  /** Where somebody else can be asked: how long the first byte of a stream may take, and a plain answer as a whole. */
  readonly firstByteMsMax: number;
  readonly plainAnswerMsMax: number;
  /** How long a plain call without tools is silent before a second one is made beside it. 0: none is. */
  readonly hedgeAfterMs: number;
}
