import type { UpstreamReply } from '../upstream/upstream.port.ts';

/** A provider's response. Status and headers have arrived; the body follows. */
export interface UpstreamAnswer extends UpstreamReply {
  /** Values that must not appear in the provider's error text. */
  readonly secrets: readonly string[];
  /** Called when the first byte of the response is sent to the client. */
  readonly begun: () => void;
  /** Called when a stream reports its end. Later connection errors no longer count as failures. */
  readonly ended: () => void;
}
