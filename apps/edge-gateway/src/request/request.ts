import type { KeyGrant } from '@gateway/contracts';
import type { ProviderFormat, RequestOutline } from '@gateway/interchange';
import type { JsonTape } from '@gateway/wire-formats';
import type { Provider } from '@gateway/providers';
import type { Conversation } from './conversation.ts';

/** Whose request it is, and what its key may do. */
export type Caller = KeyGrant;

/** The client's request: its own bytes, where everything in them stands, and what the gateway reads of it. */
export interface ParsedRequest {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  readonly conversation: Conversation;
  /** A credential of the hosted service that came in the body, for this request alone. A secret. */
  readonly ownCredential: string | null;
}

/**
 * How a request reaches its provider: `same-format` in the client's own bytes, edited in place; `translated` through the
 * interchange, rendered in a format that the provider speaks.
 */
export interface Lane {
  readonly kind: 'same-format' | 'translated';
  /** What the provider is spoken to in. */
  readonly format: ProviderFormat;
}

/** Who is called, for which model in that provider's own spelling, and in which format. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
  readonly lane: Lane;
  /** Under the provider's address, instead of its chat endpoint. */
  readonly path?: string;
  /** The caller's own credential, in place of the stored one. A secret. */
  readonly ownCredential: string | null;
  /** Who is asked instead, in this order, when this one cannot answer. Asked for only then. Absent: nobody. */
  readonly alternatives?: () => readonly Target[];
}
