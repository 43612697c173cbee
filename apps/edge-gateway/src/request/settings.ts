export const PIPELINE_SETTINGS = Symbol('PIPELINE_SETTINGS');

export interface PipelineSettings {
  /** Maximum size of a JSON body in bytes. */
  readonly bodyBytesMax: number;
  /** Maximum size of a multipart body in bytes. */
  readonly multipartBytesMax: number;
  readonly planDeadlineMs: number;
  /** Address of the sandbox provider. Undefined if the gateway has no sandbox provider. */
  readonly sandboxUrl: string | undefined;
  /** Maximum number of retries after a failed provider call if there is no other candidate. */
  readonly retriesMax: number;
  /** Longest pause that a provider may request before a retry. */
  readonly retryAfterMsMax: number;
  /**
   * Time limit for the first byte of a stream if another candidate is available. The setting
   * `plainAnswerMsMax` limits the duration of a whole non-streaming response.
   */
  readonly firstByteMsMax: number;
  readonly plainAnswerMsMax: number;
  /**
   * Time without data after which a hedge starts for a non-streaming provider call without tools, in milliseconds.
   * Zero turns hedging off.
   */
  readonly hedgeAfterMs: number;
  /** Whether a client at this address may choose a request's trace id and sampling. */
  readonly isTraceTrusted: (address: string | undefined) => boolean;
}
