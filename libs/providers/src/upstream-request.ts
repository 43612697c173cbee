import { GatewayError } from '@gateway/errors';
import { LRUCache } from 'lru-cache';
import type { ProviderFormat } from '@gateway/interchange';
import type { AuthScheme, IncomingHeaders } from './provider/http.ts';
import type { Provider } from './provider/provider.ts';
import { parseServiceAccount } from './credentials/service-account.ts';
import { hostedBaseUrl, parseHostedCredential } from './credentials/hosted-credential.ts';

export interface UpstreamCall {
  readonly provider: Provider;
  readonly format: ProviderFormat;
  /** The connection's base URL, which overrides the provider's default address. */
  readonly baseUrl?: string | null;
  /** The provider's model id, without the gateway's prefix. */
  readonly model: string;
  /** The credential, or null if the server needs no credential. */
  readonly credential: string | null;
  readonly stream: boolean;
  /**
   * The API version for which the body was written. If `apiVersion` is absent, the request uses the client's
   * version or the provider's fallback version.
   */
  readonly apiVersion?: string;
  /** Path under the base URL, used instead of the path of the chat endpoint (`/models`). */
  readonly path?: string;
  /**
   * The headers that contain the credential for `path`. By default, the headers are the same as for the
   * provider's chat endpoint.
   */
  readonly auth?: AuthScheme;
  /**
   * The headers of the client's request. Only headers that the format allows are forwarded. Omit this field
   * if the client and the provider use different formats.
   */
  readonly clientHeaders?: IncomingHeaders;
}

export interface UpstreamRequest {
  readonly url: string;
  /** Header names are lowercase. */
  readonly headers: Record<string, string>;
}

/**
 * Client headers that are forwarded to the provider, per format. Client headers that are not in this table
 * are dropped. Dropped headers include hop-by-hop headers (RFC 9110 §7.6.1), cookies, and the client's
 * addresses and trace ids. The gateway's own headers (`x-svc-*`, the gateway's key) are also dropped. Headers
 * that choose an account at the provider (`openai-organization`) are also dropped, because the credential
 * does not belong to the client.
 */
const passedClientHeaders: Record<ProviderFormat, readonly string[]> = {
  'chat-completions': ['openai-beta'],
  messages: ['anthropic-beta', 'anthropic-version'],
  converse: [],
  responses: ['openai-beta'],
  gemini: [],
  cohere: [],
};

const streamTypes: Record<ProviderFormat, string> = {
  'chat-completions': 'text/event-stream',
  messages: 'text/event-stream',
  converse: 'application/vnd.amazon.eventstream',
  responses: 'text/event-stream',
  gemini: 'text/event-stream',
  cohere: 'text/event-stream',
};

/**
 * Builds the URL and the headers of an upstream request. If the provider requires signed requests, call
 * `signUpstreamRequest` afterwards. The header `accept-encoding` has the value `identity`, because the
 * gateway parses the response during streaming. A decompressor would delay each chunk and need a size limit.
 * @throws GatewayError `provider_not_connected` if no address is known or the provider does not support the
 * format.
 * @throws GatewayError `invalid_field` if the credential has characters that are not allowed in a header.
 */
export function renderUpstreamRequest(call: UpstreamCall): UpstreamRequest {
  return {
    url: renderUrl(call),
    headers: {
      ...renderFallbackVersion(call.provider),
      ...chooseClientHeaders(call.format, call.clientHeaders ?? {}),
      ...renderVersion(call),
      ...renderAuth(call),
      'content-type': 'application/json',
      accept: call.stream ? streamTypes[call.format] : 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'agent-gateway',
    },
  };
}

function renderUrl(call: UpstreamCall): string {
  const { provider, format, model } = call;
  const address = call.baseUrl ?? chooseAddress(call);
  // On Azure, the Responses API uses one address for all deployments.
  const base = format === 'responses' ? (address?.replace(deploymentPath, '') ?? null) : address;
  const template =
    call.path ?? ((call.stream && provider.streamPaths?.[format]) || provider.chatPaths[format]);
  if (base === null || template === undefined) {
    const lacking = base === null ? 'has no address' : `does not support the format ${format}`;
    throw new GatewayError('provider_not_connected', {
      message: `The provider ${provider.name} ${lacking}.`,
    });
  }
  const key = `${base}\n${template}\n${model}`;
  const known = urls.get(key);
  if (known !== undefined) return known;
  const url = joinUrl(base, template, model);
  urls.set(key, url);
  return url;
}

/** The part of an Azure base URL that belongs to a single deployment. */
export const deploymentPath = /\/deployments\/(?:\{|%7B)model(?:\}|%7D)(?=$|\?)/;

/** Caches parsed URLs, because parsing a URL costs more than building all headers. */
const urls = new LRUCache<string, string>({
  maxSize: 1_000_000,
  sizeCalculation: (url, key) => url.length + key.length,
});

function joinUrl(base: string, template: string, model: string): string {
  // URL parsers treat `.` and `..` as path segments, even if they are percent-encoded.
  if (/^\.{1,2}$/.test(model)) throw new GatewayError('invalid_field', { param: 'model' });
  const url = new URL(base);
  const [path = '', query = ''] = template.split('?');
  const whole = url.pathname.replace(/(?<!\/)\/+$/, '') + path;
  // In a base URL, `{model}` is already percent-encoded.
  url.pathname = whole.replaceAll(/\{model\}|%7Bmodel%7D/g, () => encodeModel(model));
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Rejects lone surrogates, which a URL cannot contain. The provider validates names in the body. */
function encodeModel(model: string): string {
  if (!model.isWellFormed()) throw new GatewayError('invalid_field', { param: 'model' });
  return encodeURIComponent(model);
}

function renderFallbackVersion({ apiVersion }: Provider): Record<string, string> {
  return apiVersion === undefined ? {} : { [apiVersion.header]: apiVersion.fallback };
}

function renderVersion({ provider, apiVersion }: UpstreamCall): Record<string, string> {
  return provider.apiVersion === undefined || apiVersion === undefined
    ? {}
    : { [provider.apiVersion.header]: apiVersion };
}

/** The provider's default address. The address of Amazon Bedrock depends on the credential's region. */
function chooseAddress({ provider, credential }: UpstreamCall): string | null {
  if (provider.auth.kind !== 'aws' || credential === null) return provider.baseUrl;
  return hostedBaseUrl(parseHostedCredential(credential).region);
}

function renderAuth({ provider, credential, auth = provider.auth }: UpstreamCall): Record<string, string> {
  if (credential === null) return {};
  // A service account's token is added when the request is signed.
  if (auth.kind === 'google' && parseServiceAccount(credential)) return {};
  // For a credential with invalid characters, the HTTP library's error message would quote the credential.
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw new GatewayError('invalid_field', {
      param: 'api_key',
      message: `The credential saved for ${provider.name} has characters that are not allowed in a header. Save the credential again.`,
    });
  }
  return renderCredential(auth, credential);
}

function renderCredential(auth: AuthScheme, credential: string): Record<string, string> {
  switch (auth.kind) {
    case 'bearer':
    case 'google':
      return { authorization: `Bearer ${credential}` };
    case 'header':
      return { [auth.name]: credential };
    case 'aws': {
      const hosted = parseHostedCredential(credential);
      return hosted.kind === 'bearer' ? { authorization: `Bearer ${hosted.key}` } : {};
    }
    case 'none':
      return {};
  }
}

function chooseClientHeaders(format: ProviderFormat, headers: IncomingHeaders): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const name of passedClientHeaders[format]) {
    const value = headers[name];
    if (value !== undefined) chosen[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return chosen;
}
