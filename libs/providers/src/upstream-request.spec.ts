import { findProvider, providerNames } from './provider-table.ts';
import { formatsOf } from './provider/provider.ts';
import { renderUpstreamRequest, type UpstreamCall } from './upstream-request.ts';

const call = (over: Partial<UpstreamCall> = {}): UpstreamCall => ({
  provider: findProvider('openai')!,
  format: 'chat-completions',
  model: 'gpt-4o',
  credential: 'sk-test',
  stream: false,
  ...over,
});

describe('renderUpstreamRequest', () => {
  test('builds the URL, the credential and the negotiation headers of a chat request', () => {
    expect(renderUpstreamRequest(call())).toEqual({
      url: 'https://api.openai.com/v1/chat/completions',
      headers: {
        authorization: 'Bearer sk-test',
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'agent-gateway',
      },
    });
    expect(renderUpstreamRequest(call({ stream: true })).headers['accept']).toBe('text/event-stream');
  });

  test('appends the path with one slash, and keeps the base URL’s own path and query', () => {
    const urlOf = (baseUrl: string) => renderUpstreamRequest(call({ baseUrl })).url;
    expect(urlOf('https://example.com/v1/')).toBe('https://example.com/v1/chat/completions');
    expect(urlOf('https://example.com')).toBe('https://example.com/chat/completions');
    expect(urlOf('https://example.com/a/b?api-version=1')).toBe(
      'https://example.com/a/b/chat/completions?api-version=1',
    );
  });

  test('builds a well-formed chat URL for every provider with a chat format', () => {
    const baseUrl = 'https://own.test/base';
    const address =
      /^https?:\/\/[^/]+(\/[a-z0-9-]+)*(\/chat\/completions|\/messages|\/chat|\/model\/gpt-4o\/converse|\/models\/gpt-4o:generateContent)$/;
    for (const name of providerNames) {
      const provider = findProvider(name)!;
      const [format] = formatsOf(provider);
      if (format === undefined) continue;
      const own = provider.baseUrl === null ? { baseUrl } : {};
      const credential = provider.auth.kind === 'aws' ? null : 'sk-test';
      expect(renderUpstreamRequest(call({ provider, format, credential, ...own })).url).toMatch(address);
    }
  });

  test('gives a proxied request its own path and its own credential header', () => {
    const google = { provider: findProvider('google')!, auth: { kind: 'bearer' } as const };
    const { url, headers } = renderUpstreamRequest(call({ ...google, path: '/openai/embeddings' }));
    expect(url).toBe('https://generativelanguage.googleapis.com/v1beta/openai/embeddings');
    expect(headers['authorization']).toBe('Bearer sk-test');
    expect(headers['x-goog-api-key']).toBeUndefined();
    const baseUrl = 'https://api.together.xyz/v1';
    expect(renderUpstreamRequest(call({ baseUrl, path: '/../v2/videos' })).url).toBe(
      'https://api.together.xyz/v2/videos',
    );
  });

  test('uses a separate path and query for streaming where the provider defines them', () => {
    const google = (stream: boolean) => ({
      provider: findProvider('google')!,
      format: 'gemini' as const,
      model: 'gemini-2.5-pro',
      stream,
    });
    const base = 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro';
    expect(renderUpstreamRequest(call(google(false))).url).toBe(`${base}:generateContent`);
    const streamed = renderUpstreamRequest(call(google(true)));
    expect(streamed.url).toBe(`${base}:streamGenerateContent?alt=sse`);
    expect(streamed.headers).toMatchObject({ 'x-goog-api-key': 'sk-test', accept: 'text/event-stream' });
  });

  test('replaces {model} in the base URL once, with the encoded model', () => {
    const baseUrl = 'https://a.openai.azure.com/openai/deployments/%7Bmodel%7D?api-version=2024-10-21';
    const urlOf = (model: string) =>
      renderUpstreamRequest(call({ provider: findProvider('azure')!, baseUrl, model })).url;
    const path = 'https://a.openai.azure.com/openai/deployments';
    expect(urlOf('my-gpt')).toBe(`${path}/my-gpt/chat/completions?api-version=2024-10-21`);
    expect(urlOf('{model}/..')).toBe(`${path}/%7Bmodel%7D%2F../chat/completions?api-version=2024-10-21`);
  });

  test('sends the chosen API version, otherwise the client’s version, otherwise the provider’s fallback version', () => {
    const versionOf = (over: Partial<UpstreamCall>) =>
      renderUpstreamRequest(call({ provider: findProvider('anthropic')!, format: 'messages', ...over }))
        .headers['anthropic-version'];
    const clientHeaders = { 'anthropic-version': '2026-10-21' };
    expect(versionOf({})).toBe('2023-06-01');
    expect(versionOf({ clientHeaders })).toBe('2026-10-21');
    expect(versionOf({ clientHeaders, apiVersion: '2023-06-01' })).toBe('2023-06-01');
    expect(renderUpstreamRequest(call({ apiVersion: 'x' })).headers).not.toHaveProperty('anthropic-version');
  });

  test('uses a given path instead of the chat endpoint', () => {
    expect(renderUpstreamRequest(call({ path: '/models' })).url).toBe('https://api.openai.com/v1/models');
  });

  test('percent-encodes a model in the path, so that it cannot add path segments or a query', () => {
    const provider = { ...findProvider('openai')!, chatPaths: { converse: '/model/{model}/converse' } };
    const { url } = renderUpstreamRequest(call({ provider, format: 'converse', model: '../../x?y#z/$&' }));
    expect(url).toBe('https://api.openai.com/v1/model/..%2F..%2Fx%3Fy%23z%2F%24%26/converse');
  });

  test('returns invalid_field for a model that cannot be part of a path: dot segments and lone surrogates', () => {
    for (const model of ['.', '..', 'gemini-\ud83d', '\ude00']) {
      expect(() =>
        renderUpstreamRequest(call({ provider: findProvider('google')!, format: 'gemini', model })),
      ).toThrow(expect.objectContaining({ code: 'invalid_field', param: 'model' }));
    }
  });

  test('throws provider_not_connected without an address or for an unsupported format', () => {
    const sandbox = findProvider('sandbox')!;
    expect(() => renderUpstreamRequest(call({ provider: sandbox, credential: null }))).toThrow(
      expect.objectContaining({ code: 'provider_not_connected' }),
    );
    expect(() => renderUpstreamRequest(call({ format: 'gemini' }))).toThrow(
      expect.objectContaining({ code: 'provider_not_connected' }),
    );
  });

  test('a provider that needs no credential receives no credential, even if one is configured', () => {
    const base = { provider: findProvider('sandbox')!, baseUrl: 'http://127.0.0.1:9000/v1' };
    for (const credential of [null, 'sk-test']) {
      expect(renderUpstreamRequest(call({ ...base, credential })).headers).not.toHaveProperty(
        'authorization',
      );
    }
  });

  test('a provider with a separate credential header receives the credential only in that header', () => {
    const provider = { ...findProvider('openai')!, auth: { kind: 'header', name: 'api-key' } as const };
    const { headers } = renderUpstreamRequest(call({ provider }));
    expect(headers['api-key']).toBe('sk-test');
    expect(headers).not.toHaveProperty('authorization');
  });

  test('rejects a credential with characters that are invalid in a header, and does not quote the credential', () => {
    for (const credential of ['sk\r\nx: y', 'sk\n', 'sk test', 'sk-\u{1F511}', '']) {
      let thrown: unknown;
      try {
        renderUpstreamRequest(call({ credential }));
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code: 'invalid_field', param: 'api_key' });
      if (credential !== '') expect(JSON.stringify(thrown)).not.toContain(credential);
    }
  });

  test('forwards only the client headers that the format allows', () => {
    const clientHeaders = {
      authorization: 'Bearer sk-svc-secret',
      'x-api-key': 'sk-svc-secret',
      cookie: 'a=b',
      connection: 'x-hop',
      'x-hop': '1',
      te: 'trailers',
      'transfer-encoding': 'chunked',
      'content-length': '5',
      'accept-encoding': 'gzip',
      host: 'gateway',
      'x-forwarded-for': '10.0.0.1',
      'x-svc-session-id': 's',
      'x-request-id': 'r',
      traceparent: '00-…',
      'openai-organization': 'org',
      'openai-project': 'p',
      'openai-beta': ['assistants=v2', 'other'],
      'anthropic-beta': 'b',
      'x-stainless-os': 'Linux',
    };
    const { headers } = renderUpstreamRequest(call({ clientHeaders }));
    expect(headers).toEqual({
      ...renderUpstreamRequest(call()).headers,
      'openai-beta': 'assistants=v2, other',
    });
  });
});
