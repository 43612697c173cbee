import { GatewayError } from '@gateway/errors';
import { findProvider } from '@gateway/providers';
import { AnswerBody } from '../upstream/answer-body.ts';
import type { UpstreamCall, UpstreamReply } from '../upstream/upstream.port.ts';
import { verifyCredential, verifyKeys } from './verify-credential.ts';

const nothing = (): void => undefined;

/** A provider with responses from the given function. */
function providerOf(respond: (call: UpstreamCall) => number | Error) {
  const calls: UpstreamCall[] = [];
  const send = (call: UpstreamCall): Promise<UpstreamReply> => {
    calls.push(call);
    const status = respond(call);
    if (status instanceof Error) return Promise.reject(status);
    const body = new AnswerBody({ pause: nothing, resume: nothing, abort: nothing });
    body.end();
    return Promise.resolve({ status, headers: {}, body });
  };
  return { calls, send };
}

const connectionOf = (name: string, credential: string | null = 'sk-test') => ({
  ...{ provider: findProvider(name)!, credential, baseUrl: 'https://own.test/v1' },
});
const hasKey = ({ headers }: UpstreamCall) => 'authorization' in headers;

describe('the check of a credential', () => {
  it('accepts a credential if only requests with the credential succeed', async () => {
    const provider = providerOf((call) => (hasKey(call) ? 200 : 401));
    expect(await verifyCredential(connectionOf('openai'), provider)).toEqual({
      outcome: 'accepted',
      status: 200,
    });
    expect(provider.calls.map(({ url, method }) => [url, method])).toEqual([
      ['https://own.test/v1/models', 'GET'],
      ['https://own.test/v1/models', 'GET'],
    ]);
  });

  it('proves nothing if the list of models is public, except for a server without a credential', async () => {
    const open = providerOf(() => 200);
    expect(await verifyCredential(connectionOf('openai'), open)).toMatchObject({ outcome: 'unknown' });
    expect(await verifyCredential(connectionOf('custom', null), open)).toMatchObject({ outcome: 'accepted' });
  });

  it.each([
    [401, 'refused'],
    [403, 'refused'],
    [404, 'unknown'],
    [429, 'failed'],
    [503, 'failed'],
  ])('returns the outcome of the status %i: %s', async (status, outcome) => {
    const provider = providerOf(() => status);
    expect(await verifyCredential(connectionOf('openai'), provider)).toEqual({ outcome, status });
  });

  it.each([
    [new GatewayError('upstream_unreachable'), 'unreachable'],
    [new GatewayError('upstream_timeout'), 'timeout'],
    [new GatewayError('egress_denied'), 'forbidden'],
    [new Error('an unexpected error'), 'unreachable'],
  ])('never rejects: %s', async (error, outcome) => {
    const provider = providerOf(() => error);
    expect(await verifyCredential(connectionOf('openai'), provider)).toEqual({ outcome, status: null });
  });

  it('sends nothing to a provider without a free request that needs a credential', async () => {
    const provider = providerOf(() => 200);
    expect(await verifyCredential(connectionOf('jina'), provider)).toEqual({
      outcome: 'unknown',
      status: null,
    });
    expect(provider.calls).toEqual([]);
  });

  it('passes the loop mark of the client’s request on to the provider', async () => {
    const provider = providerOf(() => 401);
    await verifyCredential(connectionOf('openai'), provider, 'edge; loops=1');
    expect(provider.calls[0]).toMatchObject({ loopHeader: 'edge; loops=1' });
  });
});

describe('the check of a credential with additional keys', () => {
  it('has the outcome of the main key, and names the first additional key that the provider rejects', async () => {
    const known = new Set(['Bearer sk-test', 'Bearer sk-1']);
    const provider = providerOf(({ headers }) => (known.has(String(headers['authorization'])) ? 200 : 401));
    const check = (keys: readonly string[]) => verifyKeys(connectionOf('openai'), keys, provider);
    expect(await check(['sk-1'])).toEqual({ outcome: 'accepted', status: 200 });
    expect(await check(['sk-1', 'sk-2', 'sk-3'])).toEqual({
      ...{ outcome: 'accepted', status: 200 },
      refusedKey: { key: 2, status: 401 },
    });
  });
});
