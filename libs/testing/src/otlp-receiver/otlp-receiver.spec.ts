import { startOtlpReceiver, type OtlpReceiver } from './start-otlp-receiver.ts';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver.close());

const traceId = '5b8efff798038103d269b633813fc60c';
const linkedId = '0af7651916cd43dd8448eb211c80319c';
/** Based on the example in the OTLP specification (opentelemetry-proto/examples/trace.json). */
const body = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'my.service' } }] },
      scopeSpans: [
        {
          scope: { name: 'my.library', version: '1.0.0' },
          spans: [
            {
              traceId,
              spanId: 'eee19b7ec3c1b174',
              parentSpanId: 'eee19b7ec3c1b173',
              name: "I'm a server span",
              startTimeUnixNano: '1544712660000000000',
              endTimeUnixNano: '1544712661000000000',
              kind: 2,
              attributes: [
                { key: 'count', value: { intValue: '3' } },
                {
                  key: 'list',
                  value: { arrayValue: { values: [{ stringValue: 'a' }, { boolValue: true }] } },
                },
              ],
              links: [{ traceId: linkedId, spanId: 'eee19b7ec3c1b175' }],
              status: { code: 2, message: 'refused' },
            },
          ],
        },
      ],
    },
  ],
};

function send(path: string, payload: unknown): Promise<Response> {
  return fetch(`${receiver.url}${path}`, { method: 'POST', body: JSON.stringify(payload) });
}

it('parses the example in the specification', async () => {
  expect((await send('/v1/traces', body)).status).toBe(200);
  expect(await receiver.waitForTrace(traceId, (spans) => spans.length === 1, 1_000)).toEqual([
    {
      serviceName: 'my.service',
      traceId,
      spanId: 'eee19b7ec3c1b174',
      parentSpanId: 'eee19b7ec3c1b173',
      name: "I'm a server span",
      kind: 'server',
      attributes: { count: 3, list: ['a', true] },
      links: [{ traceId: linkedId, spanId: 'eee19b7ec3c1b175' }],
      status: 'error',
      statusMessage: 'refused',
      startMs: 1_544_712_660_000,
      endMs: 1_544_712_661_000,
    },
  ]);
});

it('rejects invalid exports and other paths', async () => {
  expect((await send('/v1/traces', { resourceSpans: 'x' })).status).toBe(400);
  expect((await send('/v1/logs', {})).status).toBe(404);
});

it('lists the received spans if a trace remains incomplete', async () => {
  await expect(receiver.waitForTrace(traceId, () => false, 50)).rejects.toThrow(
    "my.service: I'm a server span",
  );
});
