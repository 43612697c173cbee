import type { UpstreamReply } from '../upstream/upstream.ts';
import type { Target } from './target.ts';

/** A provider's answer: status and headers are here, the body is still to come. */
export interface UpstreamAnswer extends UpstreamReply {
  /** Values that must not show in an error text of the provider's. */
  readonly secrets: readonly string[];
  /** To be told when the first byte of it goes to the client. */
  readonly begun: () => void;
  /** To be told when a stream has said that it is over: what its connection does after that is no failure. */
  readonly ended: () => void;
}

/** The answer to a chat request. */
export interface ChatAnswer extends UpstreamAnswer {
  /** Who gave it: the one that was chosen, or one of its alternatives. */
  readonly target: Target;
  /**
   * To be told when it could not be relayed. Throws the error when that is the end of it; returns when the request may be
   * forwarded once more, which takes that no byte has gone to the client.
   */
  readonly giveUp: (error: unknown) => undefined;
}
