import type { StreamEvent } from '@gateway/interchange';

/**
 * Gives an id to each call that its provider gave none: the client says by it which call a result is of, and the SDKs of
 * other formats take no empty one. Unique within the conversation, since a request's id, and the round's number, are part
 * of it.
 */
export function fillCallIds(
  events: readonly StreamEvent[],
  requestId: string,
  round = 0,
): readonly StreamEvent[] {
  if (!events.some(isNameless)) return events;
  const scope = `${requestId.replaceAll('-', '')}${round === 0 ? '' : `_r${round}`}`;
  return events.map((event) =>
    isNameless(event) ? { ...event, id: `call_${scope}_${event.choice}_${event.block}` } : event,
  );
}

function isNameless(event: StreamEvent): event is Extract<StreamEvent, { type: 'tool-call-start' }> {
  return event.type === 'tool-call-start' && event.id === '';
}
