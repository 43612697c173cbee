import { renderShippedEvent, shippedRequestEventV1, type RequestEventV1 } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent, createPlanEvent } from '@gateway/testing';
import { LineBytes, writeShippedEvent } from './shipped-event.ts';

type Plan = NonNullable<RequestEventV1['plan']>;
const eventOf = (plan: Plan | null) => createEndedEvent(createAcceptedEvent(), { plan });
const withCandidates = (candidates: Plan['candidates']) => eventOf({ ...createPlanEvent(0, 0), candidates });

function render(event: RequestEventV1): string {
  const line = new LineBytes();
  writeShippedEvent(event, line);
  return line.written.toString();
}

describe('the rendered event', () => {
  const candidate = { name: 'get_issue', score: 0.5, rank: 1, forwarded: true, alwaysIn: null };
  it.each([
    ['no plan', eventOf(null)],
    ['no candidates', withCandidates([])],
    ['a hundred candidates', eventOf(createPlanEvent(100, 10))],
    ['one that is always in', withCandidates([{ ...candidate, alwaysIn: 'pinned "by" name' }, candidate])],
    ['names that JSON escapes', withCandidates([{ ...candidate, name: 'a"b\\c\n\u2028\ud800é😀' }])],
    [
      'scores beyond their scale',
      withCandidates(
        [-0.25, 0, 0.00004, 0.99999, 1, 1.5, 123.456789].map((score) => ({ ...candidate, score })),
      ),
    ],
    ['ranks beyond a list', withCandidates([{ ...candidate, rank: 100_000, forwarded: false }])],
  ])('equals the original event, with %s', (_, event) => {
    const text = render(event);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(renderShippedEvent(event))));
    expect(shippedRequestEventV1.safeParse(JSON.parse(text)).success).toBe(true);
    // Renders the event a second time, now with cached tool names.
    expect(render(event)).toBe(text);
  });

  it('caches only a bounded number of tool names', () => {
    for (let at = 0; at < 50_000; at += 500) {
      const named = Array.from({ length: 500 }, (_, one) => ({ ...candidate, name: `tool_${at + one}` }));
      const parsed = JSON.parse(render(withCandidates(named))) as {
        plan: { candidates: unknown[] };
      };
      expect(parsed.plan.candidates).toHaveLength(500);
    }
  });
});
