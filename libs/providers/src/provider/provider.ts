import type { ProviderFormat } from '@gateway/interchange';
import type { ConnectionShape } from './connection-fields.ts';
import type { AuthScheme, CredentialCheck } from './http.ts';
import type { ProxyEndpoint, ProxyRoute, ProxyRoutes } from './proxy-route.ts';

/**
 * The quirks of a provider, which are differences between its recorded responses and the format
 * specification. For every provider, parsers accept all documented differences. Quirks are documentation and
 * have no effect on parsing.
 */
export interface ProviderQuirks {
  /**
   * The position of token usage in a stream. According to the specification, usage is in a separate chunk after the last
   * choice. Some providers send usage in the last chunk that has a choice, or send increasing counts in every chunk.
   */
  readonly streamUsage?: 'own-chunk' | 'last-choice' | 'every-chunk';
  /** In responses without tool calls, `tool_calls` is `[]` or null instead of being absent. */
  readonly emptyToolCalls?: boolean;
  /** The arguments of a streamed tool call are sent completely in a single delta. */
  readonly wholeToolArguments?: boolean;
  /** The field in messages and deltas that contains the model's reasoning. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content';
  /** A response's content can be a list of parts instead of a string. */
  readonly contentParts?: boolean;
  /** Streams end without the `[DONE]` event. The last chunk contains a finish reason. */
  readonly streamEndsWithoutDone?: boolean;
}

/** The description of a provider, with its address, credential, formats and endpoints. */
export interface Provider {
  /** The provider name used in `<provider>/<model>` and in the account API. */
  readonly name: string;
  readonly displayName: string;
  /**
   * The base URL for all paths, without a trailing slash. Null if the connection must contain the
   * address (`base_url`). For `sandbox`, the operator configures the address.
   */
  readonly baseUrl: string | null;
  readonly auth: AuthScheme;
  /**
   * The supported chat formats, each with its chat endpoint path under the base URL. The percent-encoded
   * model id replaces `{model}`. An Azure deployment's base URL can also contain `{model}`.
   */
  readonly chatPaths: Partial<Record<ProviderFormat, string>>;
  /** Endpoint paths for streaming requests, in formats with a separate streaming endpoint. */
  readonly streamPaths?: Partial<Record<ProviderFormat, string>>;
  /** The API version header, and the default API version for requests that specify none. */
  readonly apiVersion?: { readonly header: string; readonly fallback: string };
  /**
   * Whether the provider accepts OpenAI's `prompt_cache_key` in chat requests. Some providers reject unknown
   * fields.
   */
  readonly takesPromptCacheKey?: boolean;
  /**
   * Whether the provider accepts custom tools, which take text as input. For providers without custom tools,
   * functions replace custom tools in translated requests.
   */
  readonly takesCustomTools?: boolean;
  /**
   * The fields used to connect the provider. By default, the fields are an API key and an optional base URL.
   */
  readonly connection?: ConnectionShape;
  /** The request that checks a new credential, by default `/models`. */
  readonly credentialCheck?: CredentialCheck;
  /**
   * Routes for the provider's endpoints other than chat. The route is a function if it depends on the
   * model.
   */
  readonly proxyRoutes: ProxyRoutes | ((endpoint: ProxyEndpoint, model: string) => ProxyRoute | undefined);
  readonly quirks: ProviderQuirks;
  /** The provider's documentation page, on which this table row is based. */
  readonly docsUrl: string | null;
}

/** The formats supported by a provider, preferred format first. */
export function formatsOf(provider: Provider): ProviderFormat[] {
  return Object.keys(provider.chatPaths) as ProviderFormat[];
}

/**
 * Returns the route for a provider's endpoint. Returns undefined if the provider does not support the endpoint.
 * @param model the model id as the provider spells it
 */
export function proxyRouteOf(
  { proxyRoutes }: Pick<Provider, 'proxyRoutes'>,
  endpoint: ProxyEndpoint,
  model: string,
): ProxyRoute | undefined {
  return typeof proxyRoutes === 'function' ? proxyRoutes(endpoint, model) : proxyRoutes[endpoint];
}
