import type { ProviderFormat } from '@gateway/interchange';
import type { ConnectionShape } from './connection-fields.ts';
import type { AuthScheme } from './http.ts';
import type { ProxyEndpoint, ProxyRoute, ProxyRoutes } from './proxy-route.ts';

/**
 * How a provider's recorded responses differ from the format's specification. Readers accept all of these differences
 * from every provider. The quirks only state what to expect.
 */
export interface ProviderQuirks {
  /**
   * The place of the usage in a stream: in a separate chunk after the last choice (the format's specification),
   * in the last chunk that has a choice, or in every chunk with growing counts.
   */
  readonly streamUsage?: 'own-chunk' | 'last-choice' | 'every-chunk';
  /** Responses without tool calls contain `tool_calls: []` or null instead of omitting the field. */
  readonly emptyToolCalls?: boolean;
  /** The arguments of a streamed tool call arrive whole, in one delta. */
  readonly wholeToolArguments?: boolean;
  /** The field of a message and of a delta that contains the model's reasoning. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content';
  /** The content of a response can be a list of parts instead of a string. */
  readonly contentParts?: boolean;
  /** Streams end without `data: [DONE]`. The last chunk is the one with a finish reason. */
  readonly streamEndsWithoutDone?: boolean;
}

/** All facts about a provider: its address, its credential, its formats and its endpoints. */
export interface Provider {
  /** The name in `<provider>/<model>` and on account endpoints. */
  readonly name: string;
  readonly displayName: string;
  /**
   * The URL that all paths are appended to, without a trailing slash. Null when the address must be configured: by the
   * connection (`base_url`), or by the operator for `sandbox`.
   */
  readonly baseUrl: string | null;
  readonly auth: AuthScheme;
  /**
   * The supported chat formats, each with the path of its chat endpoint under the base URL. `{model}` is replaced by the
   * percent-encoded model id. The base URL of an Azure deployment can contain `{model}` too.
   */
  readonly chatPaths: Partial<Record<ProviderFormat, string>>;
  /** Paths for streams, in formats that stream from a separate endpoint. */
  readonly streamPaths?: Partial<Record<ProviderFormat, string>>;
  /** The header that names the API version, and the version that is sent when the request names none. */
  readonly apiVersion?: { readonly header: string; readonly fallback: string };
  /** The fields that connect the provider. Absent: an API key and an optional base URL. */
  readonly connection?: ConnectionShape;
  /** Where the provider serves endpoints without planning. A function where the route depends on the model. */
  readonly proxyRoutes: ProxyRoutes | ((endpoint: ProxyEndpoint, model: string) => ProxyRoute | undefined);
  readonly quirks: ProviderQuirks;
  /** The provider's documentation page, the source of these facts. */
  readonly docsUrl: string | null;
}

/** The formats that a provider supports, the preferred one first. */
export function formatsOf(provider: Provider): ProviderFormat[] {
  return Object.keys(provider.chatPaths) as ProviderFormat[];
}

/**
 * Where a provider serves an endpoint. Undefined when the provider does not support it.
 *
 * @param model in the provider's own spelling
 */
export function proxyRouteOf(
  { proxyRoutes }: Pick<Provider, 'proxyRoutes'>,
  endpoint: ProxyEndpoint,
  model: string,
): ProxyRoute | undefined {
  return typeof proxyRoutes === 'function' ? proxyRoutes(endpoint, model) : proxyRoutes[endpoint];
}
