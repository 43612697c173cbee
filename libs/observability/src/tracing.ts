import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { redactFields, redactText } from './redaction/redact.ts';
import {
  createUnrecordedSpanContext,
  parseTraceHeaders,
  renderTraceHeaders,
  type TraceHeaders,
} from './trace-context.ts';
import { createScope, currentSecrets, runInScope } from './work-scope.ts';

export { SpanKind, type Attributes, type Span } from '@opentelemetry/api';

/** Undefined while tracing is off. Without a tracer, no spans are created. */
let tracer: Tracer | undefined;

export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

const unrecordedSpan = trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 });

/** Removes credentials of known forms, and the secrets of the current account, from attributes. */
export function redactAttributes(attributes: Attributes): Attributes {
  return redactFields(attributes, currentSecrets());
}

/**
 * Marks a span as failed. A thrown value that is not an `Error` is recorded as a string. Secrets in
 * the error message are redacted.
 */
export function recordFailure(span: Span, thrown: unknown): void {
  if (!span.isRecording()) {
    span.end();
    return;
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const code = (error as { code?: unknown }).code;
  span.setAttribute('error.type', typeof code === 'string' ? code : error.name);
  span.setStatus({ code: SpanStatusCode.ERROR, message: redactText(error.message, currentSecrets()) });
  span.end();
}

function runAndEnd<T>(span: Span, parent: Context, fn: (span: Span) => T): T {
  try {
    const result = context.with(trace.setSpan(parent, span), fn, undefined, span);
    if (result instanceof Promise) {
      return result.then(
        (value: unknown) => {
          span.end();
          return value;
        },
        (thrown: unknown) => {
          recordFailure(span, thrown);
          throw thrown;
        },
      ) as T;
    }
    span.end();
    return result;
  } catch (thrown) {
    recordFailure(span, thrown);
    throw thrown;
  }
}

/**
 * Runs `fn` inside a child span of the current span. The span ends when `fn` returns or its promise settles.
 * Attributes must not contain request contents or secrets. A span costs almost no time while tracing is off.
 */
export function withSpan<T>(
  name: string,
  attributes: Attributes,
  fn: (span: Span) => T,
  kind: SpanKind = SpanKind.INTERNAL,
): T {
  if (tracer === undefined) return fn(unrecordedSpan);
  const parent = context.active();
  return runAndEnd(startSpan(tracer, name, attributes, kind, parent), parent, fn);
}

function startSpan(by: Tracer, name: string, attributes: Attributes, kind: SpanKind, parent: Context): Span {
  const shown = redactText(name, currentSecrets());
  return by.startSpan(shown, { attributes: redactAttributes(attributes), kind }, parent);
}

/**
 * Starts a child span that outlives the calling function, for example for a streamed response. The caller
 * must end the span with `end()` or `recordFailure`.
 */
export function openSpan(name: string, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL): Span {
  if (tracer === undefined) return unrecordedSpan;
  return startSpan(tracer, name, attributes, kind, context.active());
}

/**
 * Runs `fn` in a span, as `withSpan` does, and continues the trace of a received message. A message without a
 * valid trace starts a new trace. While tracing is off, the trace id is still passed on so that it can be logged.
 */
export function continueTrace<T>(
  incoming: TraceHeaders | string | undefined,
  name: string,
  attributes: Attributes,
  fn: (span: Span) => T,
  kind: SpanKind = SpanKind.SERVER,
): T {
  const remote = parseTraceHeaders(incoming);
  if (tracer === undefined) {
    const scope = createScope(remote ?? createUnrecordedSpanContext(undefined));
    return runInScope(scope, () => fn(unrecordedSpan));
  }
  const parent = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
  const span = tracer.startSpan(name, { attributes, kind }, parent);
  return runInScope(createScope(), () => runAndEnd(span, parent, fn));
}

/** A request trace. The span can outlive the function that starts the span, for example during streaming. */
export interface RequestTrace {
  /** The trace id, as 32 hex digits. */
  readonly traceId: string;
  /** Trace headers for outgoing calls made for the request. */
  readonly headers: TraceHeaders;
  readonly span: Span;
  /** Runs `fn` with the trace as the current trace. */
  run<T>(fn: () => T): T;
  /** Ends the span and, if the request failed, records the thrown error. */
  end(thrown?: unknown): void;
}

/** The trace headers of an incoming request. */
export interface IncomingTrace {
  readonly headers: TraceHeaders | string | undefined;
  /**
   * Whether the sender may choose the id and the sampling of the trace. If untrusted senders could choose the
   * sampling, they could force the recording of every request. If untrusted senders could choose the trace
   * id, they could add spans to another sender's trace.
   */
  readonly isTrusted: boolean;
}

/**
 * The span attribute with the trace id of an untrusted client. The client's trace context is also a span
 * link.
 */
const clientTraceAttribute = 'gateway.client.trace_id';

/**
 * Starts a trace for a request. A valid trace from a trusted sender is continued. For other senders, a new
 * trace links to the sender's trace. The caller must `end()` the returned trace.
 */
export function startRequestTrace(
  incoming?: IncomingTrace,
  name = 'request',
  attributes: Attributes = {},
): RequestTrace {
  const remote = incoming && parseTraceHeaders(incoming.headers);
  const continued = incoming?.isTrusted === true ? remote : undefined;
  if (tracer === undefined) return openUnrecorded(createUnrecordedSpanContext(continued));
  const parent = continued === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, continued);
  const linked = remote === continued ? undefined : remote;
  const options: SpanOptions =
    linked === undefined
      ? { attributes, kind: SpanKind.SERVER }
      : {
          attributes: { ...attributes, [clientTraceAttribute]: linked.traceId },
          links: [{ context: linked }],
          kind: SpanKind.SERVER,
        };
  const span = tracer.startSpan(name, options, parent);
  const spanContext = span.spanContext();
  const active = trace.setSpan(parent, span);
  const scope = createScope();
  return {
    traceId: spanContext.traceId,
    headers: renderTraceHeaders(spanContext),
    span,
    run: (fn) => context.with(active, () => runInScope(scope, fn)),
    end(thrown) {
      if (thrown === undefined) span.end();
      else recordFailure(span, thrown);
    },
  };
}

function openUnrecorded(spanContext: SpanContext): RequestTrace {
  const scope = createScope(spanContext);
  return {
    traceId: spanContext.traceId,
    headers: renderTraceHeaders(spanContext),
    span: unrecordedSpan,
    run: (fn) => runInScope(scope, fn),
    end: () => undefined,
  };
}
