import { renderShippedEvent, type RequestEventV1 } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, createPlanEvent } from '@gateway/testing';
import { parseBatch } from './parse-batch.ts';
import { renderRequestLogRow } from './request-log-row.ts';

const shipped = (change: Partial<RequestEventV1> = {}) =>
  renderShippedEvent(createEndedEvent(createAcceptedEvent(), change));

describe('the log row for an event', () => {
  it('takes its time from the UUIDv7, regardless of the other fields of the event', () => {
    const row = renderRequestLogRow(shipped({ requestId: '01939a5b-0a00-7000-8000-000000000000' }));
    expect(Date.parse(row.created_at)).toBe(0x01939a5b0a00);
    expect(() => renderRequestLogRow(shipped({ requestId: '01939a5b-0a00-4000-8000-000000000000' }))).toThrow(
      RangeError,
    );
  });

  it.each([
    ['ok', 117, 12, 10_500, 250],
    ['truncated', 10, 10, 0, 250],
    ['cancelled', 10, 4, 600, 250],
    // The savings are zero, because the request was not billed.
    ['error', 117, 12, 0, 0],
    ['interrupted', 117, 12, 0, 0],
  ] as const)(
    'for status %s, %d tools and %d forwarded tools contains %d and %d saved tokens',
    (status, toolsIn, toolsOut, tools, compression) => {
      const compressionSteps = [
        { step: 'schema', tokensBefore: 900, tokensAfter: 700 },
        { step: 'repeats', tokensBefore: 150, tokensAfter: 100 },
        { step: 'none', tokensBefore: 10, tokensAfter: 12 },
      ];
      expect(renderRequestLogRow(shipped({ status, toolsIn, toolsOut, compressionSteps }))).toMatchObject({
        estimated_tokens_saved: tools,
        compression_tokens_saved: compression,
      });
    },
  );
});

it('a request saves nothing if its client disconnected before the response', () => {
  const left = shipped({ status: 'cancelled', httpStatus: null, toolsIn: 117, toolsOut: 12, usage: null });
  expect(renderRequestLogRow(left)).toMatchObject({ estimated_tokens_saved: 0, compression_tokens_saved: 0 });
});

describe('a batch of events', () => {
  const now = Date.now();
  const parse = (events: readonly unknown[]) =>
    parseBatch({ batchId: 'b', events, traceparents: events.map((_, at) => `parent-${at}`) }, now);

  it('is parsed event by event, each with its own trace', () => {
    const good = [shipped({ plan: createPlanEvent(3, 1) }), shipped()];
    const bad = [{ ...shipped(), plan: { ...good[0]?.plan, candidates: [['name', 'no number', 1, 1]] } }, 7];
    const { events, refused } = parse([good[0], bad[0], good[1], bad[1]]);
    expect(events.map(({ source, traceparent }) => [source, traceparent])).toEqual([
      [good[0], 'parent-0'],
      [good[1], 'parent-2'],
    ]);
    expect(refused.map(({ source, traceparent }) => [source, traceparent])).toEqual([
      [bad[0], 'parent-1'],
      [bad[1], 'parent-3'],
    ]);
    expect(refused[0]?.reason).toContain('candidates');
  });

  it('keeps one result per request: the first result, or a later result if the first result is `interrupted`', () => {
    const event = shipped();
    const interrupted = { ...event, status: 'interrupted' };
    const statuses = (events: readonly unknown[]) => parse(events).events.map(({ row }) => row.status);
    expect(statuses([event, { ...event, status: 'error' }, interrupted])).toEqual(['ok']);
    expect(statuses([interrupted, event, { ...event, status: 'error' }])).toEqual(['ok']);
    expect(statuses([interrupted, interrupted])).toEqual(['interrupted']);
  });

  it('is rejected as a whole if it is not a valid batch', () => {
    for (const data of [null, 'text', { batchId: 'b' }]) {
      expect(parseBatch(data, now)).toMatchObject({ events: [], refused: [{ source: data }] });
    }
  });
});
