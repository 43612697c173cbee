import { startOtlpReceiver, type OtlpReceiver } from '@gateway/testing';
import { startTelemetry, type Telemetry } from './telemetry.ts';
import { currentTraceHeaders, currentTraceId, currentTraceparent } from './trace-context.ts';
import { continueTrace, startRequestTrace, withSpan } from './tracing.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const trusted = { headers: traceparent, isTrusted: true };
const stranger = { headers: traceparent, isTrusted: false };

async function start(receiver?: OtlpReceiver) {
  return startTelemetry({
    serviceName: 'edge-gateway',
    instanceId: 'one',
    otlpEndpoint: receiver?.url,
    sampleRatio: 1,
  });
}

describe('without a span receiver', () => {
  beforeAll(() => start());

  it('gives every request a valid trace id, or continues the trace of a trusted sender', async () => {
    const fresh = startRequestTrace();
    expect(fresh.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    await fresh.run(async () => {
      await Promise.resolve();
      expect(currentTraceId()).toBe(fresh.traceId);
      expect(withSpan('inner', {}, () => currentTraceId())).toBe(fresh.traceId);
      expect(currentTraceparent()).toBe(fresh.headers.traceparent);
    });
    expect(currentTraceId()).toBeUndefined();
    expect(startRequestTrace(trusted).traceId).toBe(traceId);
    // An untrusted sender can neither choose the trace id nor cause its request to be recorded.
    const { traceId: own, headers } = startRequestTrace(stranger);
    expect(own).not.toBe(traceId);
    expect(headers.traceparent).toMatch(/-00$/);
    expect(continueTrace(traceparent, 'served', {}, () => currentTraceId())).toBe(traceId);
  });

  it.each(['', '00-xyz', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `ff-${traceId}-00f067aa0ba902b7-01`])(
    'starts a new trace when the incoming trace is %p',
    (incoming) => {
      expect(startRequestTrace({ headers: incoming, isTrusted: true }).traceId).not.toBe(traceId);
    },
  );

  it('passes the tracestate on unchanged', () => {
    const incoming = { traceparent, tracestate: 'vendor=t61rcWkgMzE,other=1' };
    const carried = continueTrace(incoming, 'served', {}, () => currentTraceHeaders());
    expect(carried).toEqual(incoming);
  });

  it('takes less than 20 microseconds per span', () => {
    const rounds = 20_000;
    // Measures CPU time, because elapsed time depends on the machine's load.
    const before = process.cpuUsage();
    for (let round = 0; round < rounds; round += 1) withSpan('nothing', {}, () => round);
    expect(process.cpuUsage(before).user / rounds).toBeLessThan(20);
  });
});

describe('with a span receiver', () => {
  let receiver: OtlpReceiver;
  let telemetry: Telemetry;
  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    telemetry = await start(receiver);
  });
  afterAll(() => receiver.close());

  it('links the trace of a sender that is not trusted', async () => {
    const request = startRequestTrace(stranger, 'linked');
    request.end();
    const [root] = await receiver.waitForTrace(request.traceId, (found) => found.length === 1, 20_000);
    expect(root).toMatchObject({
      parentSpanId: null,
      links: [{ traceId, spanId: '00f067aa0ba902b7' }],
      attributes: { 'gateway.client.trace_id': traceId },
    });
  });

  it('exports one tree per request, with attributes and failures', async () => {
    const request = startRequestTrace(trusted, 'POST /v1/chat/completions', { 'http.route': '/x' });
    await request.run(async () => {
      await withSpan('plan', { tools: 117 }, () => Promise.resolve());
      await expect(withSpan('forward', {}, () => Promise.reject(new TypeError('refused')))).rejects.toThrow(
        'refused',
      );
    });
    request.end();
    await telemetry.shutdown();

    const spans = await receiver.waitForTrace(traceId, (found) => found.length === 3, 20_000);
    const root = spans.find((span) => span.name === 'POST /v1/chat/completions');
    expect(root).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      kind: 'server',
      serviceName: 'edge-gateway',
    });
    const plan = spans.find((span) => span.name === 'plan');
    expect(plan).toMatchObject({ parentSpanId: root?.spanId, attributes: { tools: 117 }, status: 'unset' });
    expect(spans.find((span) => span.name === 'forward')).toMatchObject({
      parentSpanId: root?.spanId,
      status: 'error',
      statusMessage: 'refused',
      attributes: { 'error.type': 'TypeError' },
    });
  });
});

it('shuts down in time even if the receiver is unavailable', async () => {
  const telemetry = await startTelemetry({
    serviceName: 'edge-gateway',
    instanceId: 'one',
    otlpEndpoint: 'http://127.0.0.1:9',
    sampleRatio: 1,
  });
  withSpan('lost', {}, () => undefined);
  const from = performance.now();
  await telemetry.shutdown();
  expect(performance.now() - from).toBeLessThan(12_000);
}, 30_000);
