import type { Readable } from 'node:stream';
import type { IncomingHeaders } from '@gateway/providers';

/** A provider's answer: status and headers are here, the body is still to come. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly body: Readable;
  /** Values that must not show in an error text of the provider's. */
  readonly secrets: readonly string[];
}
