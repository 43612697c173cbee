import type { KeyGrant } from '@gateway/contracts';
import type { ProviderFormat, RequestOutline } from '@gateway/interchange';
import type { JsonTape } from '@gateway/wire-formats';
import type { Provider } from '@gateway/providers';
import type { Conversation } from './conversation.ts';

/** The account and key of a request, and the key's permissions. */
export type Caller = KeyGrant;

/**
 * The client's request: its own bytes, the position of every value in them, and the parts that the gateway
 * reads.
 */
export interface ParsedRequest {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  readonly conversation: Conversation;
  /** A credential of the hosted service from the body, for this request only. A secret. */
  readonly ownCredential: string | null;
}

/**
 * How a request reaches its provider. `same-format`: the client's own bytes, edited in place. `translated`:
 * rendered in a format of the provider, by way of the interchange.
 */
export interface Lane {
  readonly kind: 'same-format' | 'translated';
  /** The format of the upstream request. */
  readonly format: ProviderFormat;
}

/** The provider, the model in its own spelling, and the format. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
  readonly lane: Lane;
  /** A path under the provider's address, instead of its chat endpoint. */
  readonly path?: string;
  /** The caller's own credential, instead of the stored one. A secret. */
  readonly ownCredential: string | null;
  /** Fallbacks in their order. Looked up only if this target fails. Absent: there are none. */
  readonly alternatives?: () => readonly Target[];
}
