import { renderClientHeaders } from './client-headers.ts';

describe('renderClientHeaders', () => {
  test('forwards the headers that SDKs use', () => {
    const passed = {
      'content-type': 'text/event-stream; charset=utf-8',
      'retry-after': '3',
      'retry-after-ms': '2500',
      'x-should-retry': 'false',
      'x-ratelimit-remaining-tokens': '100',
      'openai-processing-ms': '12',
      'anthropic-ratelimit-tokens-remaining': '100',
      'anthropic-ratelimit-unified-status': 'allowed',
      'anthropic-ratelimit-unified-5h-reset': '1790000000',
    };
    expect(renderClientHeaders(passed).headers).toEqual(passed);
  });

  test('never forwards cookies, account ids, framing headers, connection headers or unknown headers', () => {
    const { headers } = renderClientHeaders({
      'set-cookie': ['__cf_bm=x; HttpOnly'],
      'openai-organization': 'org-1',
      'openai-project': 'proj_1',
      'content-length': '10',
      'content-encoding': 'gzip',
      'transfer-encoding': 'chunked',
      connection: 'keep-alive',
      'keep-alive': 'timeout=5',
      trailer: 'x',
      upgrade: 'h2c',
      'alt-svc': 'h3=":443"',
      'strict-transport-security': 'max-age=1',
      'access-control-allow-origin': '*',
      server: 'cloudflare',
      'cf-ray': 'x',
      'x-ratelimit-limit-requests': '10000',
      'x-request-id': 'req_1',
      'x-new-thing': '1',
    });
    expect(headers).toEqual({});
  });

  test.each(['x-request-id', 'request-id', 'x-amzn-requestid'])(
    'returns the provider’s request id from %s separately',
    (name) => {
      expect(renderClientHeaders({ [name]: 'req_1' }).providerRequestId).toBe('req_1');
    },
  );

  test('returns null when the provider sent no request id', () => {
    expect(renderClientHeaders({}).providerRequestId).toBeNull();
  });

  test('returns the content encoding of a compressed body', () => {
    expect(renderClientHeaders({ 'content-encoding': 'GZIP' }).contentEncoding).toBe('gzip');
    expect(renderClientHeaders({ 'content-encoding': 'identity' }).contentEncoding).toBeNull();
    expect(renderClientHeaders({}).contentEncoding).toBeNull();
  });
});
