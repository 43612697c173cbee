import { GatewayError } from '@gateway/errors';
import { findProvider, proxyRouteOf, type Provider, type ProxyRoute } from '@gateway/providers';
import { BackendBook } from '../backends/backend-book.ts';
import { RetryBudget } from '../backends/retry-budget.ts';
import { openExchange } from '../pipeline/exchange/exchange.fixture.ts';
import type { Caller } from '../request/request.ts';
import { AnswerBody } from '../upstream/answer-body.ts';
import type { UpstreamCall, UpstreamReply } from '../upstream/upstream.port.ts';
import { relayVideo, type VideoTarget } from './retrieve-video.ts';

const none = (): undefined => undefined;
const provider = findProvider('xai') as Provider;
const route = proxyRouteOf(provider, 'videos/generations', '') as ProxyRoute;
const target = { provider, id: 'r-1', route, videos: route.videos } as VideoTarget;
const wanted = { id: 'r-1', part: 'content', query: '' } as const;

type Reply = Omit<UpstreamReply, 'body'> | GatewayError;

/**
 * Downloads a video from the URL in the video's state. The servers that store the video's bytes send the given
 * replies in order.
 */
function download(url: string, replies: readonly Reply[]) {
  const calls: UpstreamCall[] = [];
  const failures: unknown[] = [];
  const send = (call: UpstreamCall): Promise<UpstreamReply> => {
    const state = JSON.stringify({ status: 'done', video: { url } });
    const reply = calls.length === 0 ? { status: 200, headers: {} } : replies[calls.length - 1];
    calls.push(call);
    if (reply === undefined || reply instanceof GatewayError)
      return Promise.reject(reply ?? new GatewayError('internal_error'));
    const body = new AnswerBody({ pause: none, resume: none, abort: none });
    body.push(Buffer.from(calls.length === 1 ? state : 'bytes'));
    if (reply.headers['x-broken'] === undefined) body.end();
    else setImmediate(() => body.breakOff(new Error('broken')));
    return Promise.resolve({ ...reply, body });
  };
  const counter = { inc: none };
  const services = {
    upstream: { send },
    backends: new BackendBook({
      messaging: { broadcast: none, onBroadcast: none } as never,
      inFlightMax: 100,
      metrics: { breakerChanges: counter, watchOpenBreakers: none } as never,
    }),
    retryBudget: new RetryBudget({ share: 0, floor: 0 }),
    resilience: {
      ...{ retries: counter, retryBudgetExhausted: counter },
      upstreamFailures: { inc: (labels: unknown) => failures.push(labels) },
    },
    connections: {
      open: () => ({ keys: [{ apiKey: 'k', secretValues: [], health: { note: none } }], baseUrl: null }),
    },
    settings: { sandboxUrl: undefined, hedgeAfterMs: 0 },
  };
  const caller = { accountId: 'a' } as Caller;
  const outcome = relayVideo(wanted, target, openExchange(), caller, services as never);
  return { outcome, calls, failures };
}

const elsewhere = 'https://cdn.test/v.mp4';
const redirect = (location: string): Reply => ({ status: 302, headers: { location } });

it.each<[string, string, readonly Reply[]]>([
  ['403', elsewhere, [{ status: 403, headers: {} }]],
  ['429', elsewhere, [{ status: 429, headers: {} }]],
  ['503', elsewhere, [{ status: 503, headers: {} }]],
  ['a redirect without an address', elsewhere, [{ status: 302, headers: {} }]],
  ['an invalid redirect', elsewhere, [redirect('https://[')]],
  ['too many redirects', elsewhere, Array.from({ length: 4 }, () => redirect(elsewhere))],
  ['a failure after a redirect', 'https://api.x.ai/v', [redirect(elsewhere), { status: 401, headers: {} }]],
  ['no connection', elsewhere, [new GatewayError('upstream_unreachable')]],
  ['a URL of more than 16 KiB', `${elsewhere}?${'x'.repeat(16_384)}`, []],
  ['a redirect of more than 16 KiB', elsewhere, [redirect(`${elsewhere}?${'x'.repeat(16_384)}`)]],
])('%s at another server does not count against the credential', async (_, url, replies) => {
  const { outcome, calls, failures } = download(url, replies);
  await expect(outcome).rejects.toMatchObject({ code: 'provider_error' });
  expect(calls).toHaveLength(1 + replies.length);
  expect(failures).toEqual([]);
});

it('a broken download from another server does not count against the credential', async () => {
  const { outcome, failures } = download(elsewhere, [{ status: 200, headers: { 'x-broken': '1' } }]);
  await expect(outcome).resolves.toMatchObject({ status: 'truncated' });
  expect(failures).toEqual([]);
});

it('a refusal by the provider counts against the credential', async () => {
  const { outcome, failures } = download('https://api.x.ai/v', [{ status: 403, headers: {} }]);
  await expect(outcome).resolves.toMatchObject({ httpStatus: 403 });
  expect(failures).toEqual([{ reason: 'refused' }]);
});

it('only the URLs of a video’s bytes are links, and only the provider gets the credential', async () => {
  const { outcome, calls } = download('https://api.x.ai/v', [
    redirect(elsewhere),
    { status: 200, headers: {} },
  ]);
  await expect(outcome).resolves.toMatchObject({ status: 'ok' });
  expect(calls.map(({ url, isLinked, headers }) => [url, isLinked, headers['authorization']])).toEqual([
    ['https://api.x.ai/v1/videos/r-1', undefined, 'Bearer k'],
    ['https://api.x.ai/v', true, 'Bearer k'],
    [elsewhere, true, undefined],
  ]);
});
