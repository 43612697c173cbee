import { GatewayError } from '@gateway/errors';
import { LRUCache } from 'lru-cache';
import type { ProviderFormat } from '@gateway/interchange';
import type { AuthScheme, Provider } from './provider.ts';
import { parseServiceAccount } from './google/service-account.ts';
import { hostedBaseUrl, parseHostedCredential } from './sigv4/hosted-credential.ts';

/** Header values as Node's HTTP server gives them: lower-case names, repeated headers as a list. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface UpstreamCall {
  readonly provider: Provider;
  readonly format: ProviderFormat;
  /** Stands for the provider's own address. */
  readonly baseUrl?: string | null;
  /** The provider's own id of the model, without our prefix. */
  readonly model: string;
  /** Null for a provider that asks for none, or a server of one's own that runs without. */
  readonly credential: string | null;
  readonly stream: boolean;
  /** The version of the API that the body is written for. Absent: the client's own, or the provider's fallback. */
  readonly apiVersion?: string;
  /** Path under the base URL instead of the format's chat endpoint (`/models`). */
  readonly path?: string;
  /** How the credential is shown there, where that differs from the provider's chat endpoint. */
  readonly auth?: AuthScheme;
  /** The client's headers; only the format's allowed ones go on. Leave out when formats differ. */
  readonly clientHeaders?: IncomingHeaders;
}

export interface UpstreamRequest {
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Record<string, string>;
}

/**
 * Client headers that go on to the provider, per format. Everything else stays here: what is hop-by-hop
 * (RFC 9110 §7.6.1), what is ours (`x-svc-*`, the gateway's key), cookies, addresses and tracing of the client, and
 * headers that choose an account at the provider (`openai-organization`), since the credential is not the client's.
 */
const passedClientHeaders: Record<ProviderFormat, readonly string[]> = {
  'chat-completions': ['openai-beta'],
  messages: ['anthropic-beta', 'anthropic-version'],
  converse: [],
  gemini: [],
  cohere: [],
};

const streamTypes: Record<ProviderFormat, string> = {
  'chat-completions': 'text/event-stream',
  messages: 'text/event-stream',
  converse: 'application/vnd.amazon.eventstream',
  gemini: 'text/event-stream',
  cohere: 'text/event-stream',
};

/**
 * Builds the address and headers of a provider call. Where a provider wants each request signed, `signUpstreamRequest`
 * comes after it.
 *
 * `accept-encoding: identity` is deliberate: the answer is read on its way through, and a decompressor would put a
 * bound to keep and a delay between the provider's chunk and the client's.
 * @throws GatewayError `provider_not_connected` when there is no address, or the format is not spoken there;
 * `invalid_field` when the credential can not stand in a header.
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
  const base = call.baseUrl ?? chooseAddress(call);
  const template =
    call.path ?? ((call.stream && provider.streamPaths?.[format]) || provider.chatPaths[format]);
  if (base === null || template === undefined) {
    const lacking = base === null ? 'has no address' : `does not speak ${format}`;
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

/** Addresses made before: making one costs more than the rest of the request's head. */
const urls = new LRUCache<string, string>({
  maxSize: 1_000_000,
  sizeCalculation: (url, key) => url.length + key.length,
});

function joinUrl(base: string, template: string, model: string): string {
  // A URL takes these for steps along its path, encoded or not.
  if (/^\.{1,2}$/.test(model)) throw new GatewayError('invalid_field', { param: 'model' });
  const url = new URL(base);
  const [path = '', query = ''] = template.split('?');
  const whole = url.pathname.replace(/\/+$/, '') + path;
  // The model of a base URL is there in the encoding of URLs.
  url.pathname = whole.replaceAll(/\{model\}|%7Bmodel%7D/g, () => encodeModel(model));
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url.href;
}

/** Half of a surrogate pair has no place in a URL. A provider that has the model in the body judges that itself. */
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

/** The provider's own; of a provider with one a region, the one that the credential is of. */
function chooseAddress({ provider, credential }: UpstreamCall): string | null {
  if (provider.auth.kind !== 'aws' || credential === null) return provider.baseUrl;
  return hostedBaseUrl(parseHostedCredential(credential).region);
}

function renderAuth({ provider, credential, auth = provider.auth }: UpstreamCall): Record<string, string> {
  if (credential === null) return {};
  // Its token is made when the request is signed.
  if (auth.kind === 'google' && parseServiceAccount(credential)) return {};
  // What a header cannot carry is refused here, so that no HTTP library quotes it in an error text.
  if (!/^[\x21-\x7e]+$/.test(credential)) {
    throw new GatewayError('invalid_field', {
      param: 'api_key',
      message: `The credential saved for ${provider.name} has characters that a header cannot carry.`,
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
