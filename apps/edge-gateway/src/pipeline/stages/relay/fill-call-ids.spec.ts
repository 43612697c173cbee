import type { StreamEvent } from '@gateway/interchange';
import { fillCallIds } from './fill-call-ids.ts';

function startCall(block: number, id: string): StreamEvent {
  return { type: 'tool-call-start', choice: 0, block, id, name: 'f', kind: 'function' };
}

describe('fillCallIds', () => {
  it('gives each call without an id one of its own, which other formats take', () => {
    const ids = fillCallIds([startCall(0, ''), startCall(1, 'given'), startCall(2, '')], 'a-1').map(
      (event) => (event.type === 'tool-call-start' ? event.id : ''),
    );
    expect(ids).toEqual(['call_a1_0_0', 'given', 'call_a1_0_2']);
  });

  it('leaves events without such a call alone', () => {
    const events = [startCall(0, 'given')];
    expect(fillCallIds(events, 'a')).toBe(events);
  });
});
