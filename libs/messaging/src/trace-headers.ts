import { currentTraceHeaders, type TraceHeaders } from '@gateway/observability';
import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** NATS headers that carry the running trace; undefined when nothing is traced. */
export function renderTrace(): MsgHdrs | undefined {
  const current = currentTraceHeaders();
  if (current === undefined) return undefined;
  const carried = headers();
  carried.set('traceparent', current.traceparent);
  if (current.tracestate !== undefined) carried.set('tracestate', current.tracestate);
  return carried;
}

export function parseTrace(carried: MsgHdrs | undefined): TraceHeaders | undefined {
  const traceparent = carried?.get('traceparent');
  if (!traceparent) return undefined;
  const tracestate = carried?.get('tracestate');
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
