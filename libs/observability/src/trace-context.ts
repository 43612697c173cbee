import { randomBytes } from 'node:crypto';
import { isSpanContextValid, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import { currentScope } from './work-scope.ts';

/** The W3C Trace Context headers (https://www.w3.org/TR/trace-context/). */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * Maximum length of the header `tracestate`. The specification requires support for at least 512 characters.
 * Longer `tracestate` values are dropped.
 */
const tracestateCharsMax = 512;
const traceparentCharsMax = 256;

/**
 * Parses trace headers (Trace Context, section 3.2). Returns undefined for invalid headers, and the caller
 * then starts a new trace.
 */
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

const idsChars = 48;
/**
 * Random digits are generated for many traces at once, because one call to the generator costs as much as all
 * other steps of a trace.
 */
let pool = '';
let drawn = 0;

function drawIds(): string {
  if (drawn === pool.length) {
    pool = randomBytes((idsChars / 2) * 256).toString('hex');
    drawn = 0;
  }
  drawn += idsChars;
  return pool.slice(drawn - idsChars, drawn);
}

/** Creates ids for a trace that is not recorded. All log lines of a request contain its ids. */
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

/**
 * Returns the current trace. While tracing is off, the trace is stored in the work scope, because
 * OpenTelemetry's context needs a map per request and costs twice as much.
 */
function activeSpanContext(): SpanContext | undefined {
  const running = currentScope()?.spanContext;
  if (running !== undefined) return running;
  const spanContext = trace.getActiveSpan()?.spanContext();
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined;
}

/**
 * Returns the current trace id, as 32 hex digits. The trace id is available even without tracing.
 */
export function currentTraceId(): string | undefined {
  return activeSpanContext()?.traceId;
}

/** Returns the headers `traceparent` and `tracestate` for an outgoing call. */
export function currentTraceHeaders(): TraceHeaders | undefined {
  const spanContext = activeSpanContext();
  return spanContext === undefined ? undefined : renderTraceHeaders(spanContext);
}

/** Returns the current span as a W3C `traceparent`. */
export function currentTraceparent(): string | undefined {
  return currentTraceHeaders()?.traceparent;
}
