import {
  startOtlpReceiver,
  startStack,
  type OtlpReceiver,
  type ReceivedSpan,
  type ReplayProvider,
  type StackUnderTest,
} from '@gateway/testing';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { connectProvider, requestIdOf, waitForRow } from './account.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { postChat } from './http.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from './provider.fixture.ts';

/**
 * The maximum time in milliseconds until every service has exported its spans. Each service exports spans
 * once per second.
 */
const exportedWithinMs = 30_000;
const always = ['edge-gateway', 'tool-router', 'worker'];
/** Services that the edge calls only for the first request, to compress tool schemas and to read the credential. */
const onceKnown = ['compressor', 'provider-vault'];
const upstreamKey = 'sk-upstream-of-tracing-0123456789';
const canary = 'canary-content-7c1e';
const incoming = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

let receiver: OtlpReceiver;
let provider: ReplayProvider;
let stack: StackUnderTest;

const undo: Undo[] = [];

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  undo.push(() => receiver.close());
  provider = await startProvider();
  undo.push(() => provider.close());
  stack = await startStack({
    env: {
      '*': { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
      // The gateway must not retry the failed provider call.
      // The edge must call all planning services, even if planning is slow on a busy machine.
      'edge-gateway': { UPSTREAM_RETRIES_MAX: '0', PLAN_DEADLINE_MS: '6000' },
      'edge-gateway-2': { TRUST_CLIENT_TRACES: '127.0.0.0/8' },
    },
    replicas: { 'edge-gateway': 2 },
  });
  undo.push(() => stack.stop());
  const base_url = `${provider.url}/v1`;
  await connectProvider(stack.baseUrl, stack.apiKey, { provider: 'openai', api_key: upstreamKey, base_url });
}, 180_000);
afterAll(() => undoAll(undo), 60_000);

const body = {
  model: 'openai/gpt-4o-mini',
  messages: [{ role: 'user', content: `Create an issue titled "${canary}" in octo/hello` }],
  tools: githubTools,
};

/**
 * Sends a request. Waits until the request's trace contains the worker's job and a call to each service.
 */
async function traceOf(
  request: object,
  services: readonly string[],
  headers: Record<string, string> = {},
  edge: string | null = stack.baseUrl,
): Promise<readonly ReceivedSpan[]> {
  const answer = await postChat(edge ?? '', stack.apiKey, request, headers);
  expect(answer.status).toBe(200);
  const { trace_id } = await waitForRow(stack.baseUrl, stack.apiKey, requestIdOf(answer));
  const isWhole = (spans: readonly ReceivedSpan[]) =>
    services.every((name) => of(spans, name, name === 'worker' ? 'consumer' : 'server').length > 0) &&
    spans.every(({ parentSpanId }) => isKnown(parentSpanId, spans));
  return receiver.waitForTrace(trace_id!, isWhole, exportedWithinMs);
}

function isKnown(parentSpanId: string | null, spans: readonly ReceivedSpan[]): boolean {
  return (
    parentSpanId === null ||
    parentSpanId === incoming.spanId ||
    spans.some(({ spanId }) => spanId === parentSpanId)
  );
}

const of = (spans: readonly ReceivedSpan[], service: string, kind: ReceivedSpan['kind']) =>
  spans.filter((span) => span.serviceName === service && span.kind === kind);

function ancestorsOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [parent, ...ancestorsOf(parent, spans)] : [];
}

it('one trace spans the edge, the router, the compressor, the vault, the provider call and the worker’s job', async () => {
  provider.enqueue(null, plainAnswer);
  const spans = await traceOf(body, [...always, ...onceKnown]);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null);
  expect(roots).toHaveLength(1);
  const [root] = roots;
  expect(root).toMatchObject({ serviceName: 'edge-gateway', kind: 'server', status: 'unset' });
  expect(root?.name).toContain('/v1/chat/completions');

  for (const service of ['tool-router', ...onceKnown]) {
    const [served] = of(spans, service, 'server');
    expect(served).toBeDefined();
    const ancestors = ancestorsOf(served!, spans);
    expect(ancestors.at(-1)).toBe(root);
    expect(ancestors[0]?.serviceName).toBe('edge-gateway');
  }
  const [job] = of(spans, 'worker', 'consumer');
  expect(job).toBeDefined();
  expect(ancestorsOf(job!, spans).at(-1)).toBe(root);
  expect(job!.startMs).toBeGreaterThanOrEqual(root!.startMs);
});

it.each([false, true])(
  'the provider call’s span contains the model and the cost (streamed: %s)',
  async (stream) => {
    const usage = { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } };
    const { body: frames, ...rest } = streamedAnswer(['a', 'b']);
    const withUsage = (frames as string).replace(
      'data: [DONE]',
      `data: ${JSON.stringify(usage)}\n\ndata: [DONE]`,
    );
    provider.enqueue(null, stream ? { ...rest, body: withUsage } : plainAnswer);
    const spans = await traceOf({ ...body, stream }, always);
    const [call] = of(spans, 'edge-gateway', 'client').filter(({ name }) => name.startsWith('chat '));
    expect(call).toMatchObject({ name: 'chat gpt-4o-mini', status: 'unset' });
    expect(call!.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 100,
      'gen_ai.response.finish_reasons': ['stop'],
    });
  },
);

it('a model choice adds the chosen model, the candidates and the reason to the request’s span', async () => {
  provider.enqueue(null, plainAnswer);
  // This request omits tools, because the cheapest model may accept tools only through another API.
  const spans = await traceOf({ ...body, tools: undefined, model: 'svc/cheap' }, ['edge-gateway', 'worker']);
  const [root] = of(spans, 'edge-gateway', 'server');
  const attributes = root!.attributes as Record<string, unknown>;
  expect(attributes).toMatchObject({
    'gateway.model_choice.mode': 'cheap',
    'gateway.model_choice.reason': 'cheapest',
    'gateway.model_choice.candidates_count': expect.any(Number),
  });
  const [call] = of(spans, 'edge-gateway', 'client').filter(({ name }) => name.startsWith('chat '));
  expect(attributes['gateway.model_choice.candidates']).toContain(
    `openai/${String(call!.attributes['gen_ai.request.model'])}`,
  );
});

const traceparent = `00-${incoming.traceId}-${incoming.spanId}-01`;

it('a new trace links to the trace that a client started, and the client does not choose the new trace’s id or sampling', async () => {
  provider.enqueue(null, plainAnswer);
  const spans = await traceOf(body, always, { traceparent });
  const [root] = of(spans, 'edge-gateway', 'server');
  expect(root).toMatchObject({
    parentSpanId: null,
    links: [incoming],
    attributes: { 'gateway.client.trace_id': incoming.traceId },
  });
  expect(root?.traceId).not.toBe(incoming.traceId);
});

it('the gateway continues a trace that a client in TRUST_CLIENT_TRACES started', async () => {
  provider.enqueue(null, plainAnswer);
  const spans = await traceOf(body, always, { traceparent }, stack.dev.services['edge-gateway-2']?.url);
  const [root] = of(spans, 'edge-gateway', 'server');
  expect(root).toMatchObject({ traceId: incoming.traceId, parentSpanId: incoming.spanId, links: [] });
  // The provider is an external service, so the gateway sends it no trace headers.
  expect(provider.requests.at(-1)!.headers).not.toHaveProperty('traceparent');
});

it('a failed call is marked as failed', async () => {
  provider.enqueue(null, { ...plainAnswer, resetAtByte: 0 });
  const answer = await postChat(stack.baseUrl, stack.apiKey, { ...body, tools: undefined });
  expect(answer.status).toBe(502);
  const { trace_id } = await waitForRow(stack.baseUrl, stack.apiKey, requestIdOf(answer));
  const spans = await receiver.waitForTrace(
    trace_id!,
    (each) => of(each, 'edge-gateway', 'client').some(({ name }) => name.startsWith('chat ')),
    exportedWithinMs,
  );
  const [call] = of(spans, 'edge-gateway', 'client').filter(({ name }) => name.startsWith('chat '));
  expect(call).toMatchObject({ status: 'error' });
});

it('no span contains a key, a credential or content', () => {
  const everything = JSON.stringify(receiver.spans());
  expect(receiver.spans().length).toBeGreaterThan(20);
  for (const secret of [stack.apiKey, upstreamKey, canary, 'octo/hello'])
    expect(everything).not.toContain(secret);
});
