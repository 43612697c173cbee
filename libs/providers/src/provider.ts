import type { ProviderFormat } from '@gateway/interchange';
import type { ConnectionShape } from './connections/connection-fields.ts';

/** How a provider wants to be shown its credential. Header names are lower-case. */
export type AuthScheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'header'; readonly name: string }
  /** A bearer key, or a signature over each request (AWS Signature Version 4), as the credential tells. */
  | { readonly kind: 'aws'; readonly service: string }
  /** An access token, or one that a service account signs for this audience, as the credential tells. */
  | { readonly kind: 'google'; readonly audience: string }
  | { readonly kind: 'none' };

/**
 * What a provider does otherwise than the format's own description, as its recorded answers show. None of these
 * stops an answer from being read (readers are lenient towards all of them); they tell a reader what to expect.
 */
export interface ProviderQuirks {
  /**
   * Where a stream carries its usage: in a chunk of its own after the last choice (the format's description),
   * in the last chunk that has a choice, or in every chunk, growing.
   */
  readonly streamUsage?: 'own-chunk' | 'last-choice' | 'every-chunk';
  /** Answers without tool calls carry `tool_calls: []`, or null, instead of leaving the field out. */
  readonly emptyToolCalls?: boolean;
  /** The arguments of a streamed tool call come whole, in one delta. */
  readonly wholeToolArguments?: boolean;
  /** The field of a message, and of a delta, that carries the model's thinking. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content';
  /** The content of an answer may be a list of parts instead of a text. */
  readonly contentParts?: boolean;
  /** Streams end without `data: [DONE]`; the last chunk is the one with a finish reason. */
  readonly streamEndsWithoutDone?: boolean;
}

/** Who is called: address, credential, and what is spoken there. */
export interface Provider {
  /** The name in `<provider>/<model>` and on account endpoints. */
  readonly name: string;
  readonly displayName: string;
  /**
   * Where the paths begin, without a trailing slash. Null when there is no address until one is configured
   * (`base_url` of the connection, or the operator's configuration for `sandbox`).
   */
  readonly baseUrl: string | null;
  readonly auth: AuthScheme;
  /**
   * The formats spoken, each with the path of its chat endpoint under the base URL. `{model}` stands for the
   * percent-encoded model id, in formats that put it in the path (or, Azure's deployments, in the base URL's own path).
   */
  readonly chatPaths: Partial<Record<ProviderFormat, string>>;
  /** The same for streams, in formats that stream from an endpoint of their own. */
  readonly streamPaths?: Partial<Record<ProviderFormat, string>>;
  /** The header that names the version of the API, and the version where nobody chose one. */
  readonly apiVersion?: { readonly header: string; readonly fallback: string };
  /** What it takes to connect; absent: a key, and an address for who wants another. */
  readonly connection?: ConnectionShape;
  readonly quirks: ProviderQuirks;
  /** The provider's own page that says all this. */
  readonly docsUrl: string | null;
}

/** The formats a provider speaks, the preferred one first. */
export function formatsOf(provider: Provider): ProviderFormat[] {
  return Object.keys(provider.chatPaths) as ProviderFormat[];
}
