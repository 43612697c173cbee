import type { RequestOutline } from '@gateway/interchange';
import type { JsonTape } from '@gateway/wire-formats';

/** The client's request: its own bytes, where everything in them stands, and what the gateway reads of it. */
export interface ParsedRequest {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** A credential of the hosted service that came in the body, for this request alone. A secret. */
  readonly ownCredential: string | null;
}
