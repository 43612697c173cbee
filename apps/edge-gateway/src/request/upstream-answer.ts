import type { UpstreamReply } from '../upstream/upstream.port.ts';

/** A provider's response: status and headers have arrived, the body follows. */
export interface UpstreamAnswer extends UpstreamReply {
  /** Values that must not appear in the provider's error text. */
  readonly secrets: readonly string[];
  /** Call it when the first byte of the response is sent to the client. */
  readonly begun: () => void;
  /** Call it when a stream reports its end. Later connection errors are no failure then. */
  readonly ended: () => void;
}
