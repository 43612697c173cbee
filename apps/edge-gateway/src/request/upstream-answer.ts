import type { UpstreamReply } from '../upstream/upstream.port.ts';

/** A provider's answer: status and headers are here, the body is still to come. */
export interface UpstreamAnswer extends UpstreamReply {
  /** Values that must not show in an error text of the provider's. */
  readonly secrets: readonly string[];
  /** To be told when the first byte of it goes to the client. */
  readonly begun: () => void;
  /** To be told when a stream has said that it is over: what its connection does after that is no failure. */
  readonly ended: () => void;
}
