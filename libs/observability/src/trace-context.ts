import { randomBytes } from 'node:crypto';
import { isSpanContextValid, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';

/** The W3C Trace Context headers (https://www.w3.org/TR/trace-context/). */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The specification asks for 512 at least; what is longer is dropped rather than carried about. */
const tracestateCharsMax = 512;
const traceparentCharsMax = 256;

/** Reads trace headers (section 3.2 of Trace Context). Gives undefined for what is not valid: a new trace begins. */
export function parseTraceHeaders(headers: TraceHeaders | string | undefined): SpanContext | undefined {
  if (headers === undefined) return undefined;
  const { traceparent, tracestate } =
    typeof headers === 'string' ? { traceparent: headers, tracestate: undefined } : headers;
  if (traceparent.length > traceparentCharsMax) return undefined;
  const parsed = parseTraceParent(traceparent);
  if (parsed === null || !isSpanContextValid(parsed)) return undefined;
  const spanContext = { ...parsed, isRemote: true };
  return tracestate === undefined || tracestate === '' || tracestate.length > tracestateCharsMax
    ? spanContext
    : { ...spanContext, traceState: new TraceState(tracestate) };
}

const idBytes = 24;
/** Random bytes are drawn for many traces at once: a draw costs as much as the rest of a trace together. */
let pool = Buffer.alloc(0);

function drawIds(): string {
  if (pool.length < idBytes) pool = randomBytes(idBytes * 256);
  const ids = pool.toString('hex', 0, idBytes);
  pool = pool.subarray(idBytes);
  return ids;
}

/** Ids for a trace that nobody records: they only tie log lines together. */
export function createUnrecordedSpanContext(parent: SpanContext | undefined): SpanContext {
  const ids = drawIds();
  return {
    traceId: parent?.traceId ?? ids.slice(0, 32),
    spanId: ids.slice(32),
    traceFlags: parent?.traceFlags ?? TraceFlags.NONE,
    ...(parent?.traceState === undefined ? {} : { traceState: parent.traceState }),
  };
}

export function renderTraceHeaders(spanContext: SpanContext): TraceHeaders {
  const flags = spanContext.traceFlags.toString(16).padStart(2, '0');
  const traceparent = `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`;
  const tracestate = spanContext.traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}

function activeSpanContext(): SpanContext | undefined {
  const spanContext = trace.getActiveSpan()?.spanContext();
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined;
}

/** Trace id of the running request or message, 32 hex digits, whether or not tracing is on. */
export function currentTraceId(): string | undefined {
  return activeSpanContext()?.traceId;
}

/** `traceparent` and `tracestate` to send along with a call made from here. */
export function currentTraceHeaders(): TraceHeaders | undefined {
  const spanContext = activeSpanContext();
  return spanContext === undefined ? undefined : renderTraceHeaders(spanContext);
}

/** The W3C `traceparent` of the running span. */
export function currentTraceparent(): string | undefined {
  return currentTraceHeaders()?.traceparent;
}
