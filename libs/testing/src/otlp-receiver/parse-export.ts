import { z } from 'zod';

/** An exported span. */
export interface ReceivedSpan {
  readonly serviceName: string;
  /** The trace id, as 32 hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the parent span. Null for a trace's root span. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: 'unspecified' | 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The spans in other traces to which this span links. */
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: 'unset' | 'ok' | 'error';
  readonly statusMessage: string;
  /** The start time of the span in Unix time. */
  readonly startMs: number;
  readonly endMs: number;
}

interface AnyValue {
  stringValue?: string | undefined;
  boolValue?: boolean | undefined;
  intValue?: string | number | undefined;
  doubleValue?: number | undefined;
  arrayValue?: { values?: AnyValue[] | undefined } | undefined;
}

const anyValue: z.ZodType<AnyValue> = z.lazy(() =>
  z.object({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
    doubleValue: z.number().optional(),
    arrayValue: z.object({ values: z.array(anyValue).optional() }).optional(),
  }),
);
const attributes = z.array(z.object({ key: z.string(), value: anyValue })).default([]);
const unixNano = z.union([z.string(), z.number()]).transform((value) => Number(value) / 1e6);

const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int().default(0),
  startTimeUnixNano: unixNano,
  endTimeUnixNano: unixNano,
  attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z
    .object({ code: z.int().default(0), message: z.string().default('') })
    .default({ code: 0, message: '' }),
});

const exportRequest = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }).optional(),
      scopeSpans: z.array(z.object({ spans: z.array(span).default([]) })).default([]),
    }),
  ),
});

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const statuses = ['unset', 'ok', 'error'] as const;

function readValue(value: AnyValue): unknown {
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue ?? null;
}

function readAttributes(pairs: z.output<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]));
}

function readSpan(serviceName: string, each: z.output<typeof span>): ReceivedSpan {
  return {
    serviceName,
    traceId: each.traceId,
    spanId: each.spanId,
    parentSpanId: each.parentSpanId === undefined || each.parentSpanId === '' ? null : each.parentSpanId,
    name: each.name,
    kind: kinds[each.kind] ?? 'unspecified',
    attributes: readAttributes(each.attributes),
    links: each.links,
    status: statuses[each.status.code] ?? 'unset',
    statusMessage: each.status.message,
    startMs: each.startTimeUnixNano,
    endMs: each.endTimeUnixNano,
  };
}

/**
 * Parses an ExportTraceServiceRequest in OTLP's JSON encoding. Throws a ZodError if the request is invalid.
 */
export function parseExport(body: unknown): ReceivedSpan[] {
  return exportRequest.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const serviceName = readAttributes(resource?.attributes ?? [])['service.name'];
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((each) => readSpan(typeof serviceName === 'string' ? serviceName : '', each));
  });
}
