import type { KeyGrant } from '@gateway/contracts';
import type { ProviderFormat, RequestOutline } from '@gateway/interchange';
import type { JsonTape } from '@gateway/wire-formats';
import type { Provider } from '@gateway/providers';
import type { Conversation } from './conversation.ts';
import type { KnownMessages } from './known-messages.ts';

/** The account and API key behind a request, and the permissions of the key. */
export type Caller = KeyGrant;

/**
 * The client's request, with its original bytes, the position of every JSON value in these bytes, and the
 * fields that the gateway reads.
 */
export interface ParsedRequest {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  readonly conversation: Conversation;
  /**
   * A credential for the hosted service, taken from the request body and valid for this request only. The
   * credential is a secret.
   */
  readonly ownCredential: string | null;
  /** The messages that an earlier request contained. Absent if the gateway removed tools from the request. */
  readonly known?: KnownMessages | undefined;
}

/**
 * The lane of the request to its provider. In the lane `same-format`, the client's own bytes are
 * edited in place. In the lane `translated`, the request is rendered in one of the provider's formats, through
 * the interchange format.
 */
export interface Lane {
  readonly kind: 'same-format' | 'translated';
  /** The format of the upstream request. */
  readonly format: ProviderFormat;
}

/** The target of an upstream request, with the provider, the provider's name for the model, and the format. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
  readonly lane: Lane;
  /** The path of the provider's endpoint, if it is not the path of the chat endpoint. */
  readonly path?: string;
  /**
   * The credential from the caller's request, which replaces the stored credential. The credential is a
   * secret.
   */
  readonly ownCredential: string | null;
  /**
   * The key of a conversation that depends on one provider account. Only one provider account accepts the
   * conversation's reasoning or messages. Requests with the same affinity key use the same credential as long as the
   * credential works. Absent if every provider account accepts the conversation.
   */
  readonly affinity?: string;
  /**
   * Returns the fallback targets in order. The gateway calls this function only if the first target fails.
   * Absent if the target has no fallbacks.
   */
  readonly alternatives?: () => readonly Target[];
}
