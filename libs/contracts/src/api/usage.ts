import { z } from 'zod';
import { count, id, instant, keepable, timestamp } from '../base/common.ts';
import { listOf, pageOf, pageQuery } from '../base/list.ts';
import { requestStatus } from './request-log.ts';

/** Query of the request log. Each given field narrows it. `from` is inclusive, `to` exclusive. */
export const requestLogQuery = pageQuery.extend({
  key_id: z.uuid().optional(),
  /** The requested or the used model; also `<provider>/<model>`. */
  model: keepable(z.string().min(1).max(512)).optional(),
  session_id: keepable(z.string().min(1).max(256)).optional(),
  status: requestStatus.optional(),
  from: instant.optional(),
  to: instant.optional(),
});

/** The same filters, without paging. */
export const requestExportQuery = requestLogQuery
  .omit({ limit: true, offset: true })
  .extend({ format: z.enum(['csv', 'jsonl']).default('csv') });

export const spanQuery = z.strictObject({ from: instant.optional(), to: instant.optional() });
export const sessionsQuery = pageQuery.extend(spanQuery.shape);
/** Covers the last `days` days, including today (UTC). */
export const daysQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) });

/** Sums over entries of the request log. Tokens and money cover the requests with known figures. */
export const usageFigures = z.object({
  requests: count,
  /** Requests with the status `error`. */
  errors: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  tools_in: count,
  tools_out: count,
  estimated_tokens_saved: count,
  compression_tokens_saved: count,
  /** The sum of both. Usage fees are based on it. */
  total_tokens_saved: count,
  /** Cost of the requests with known prices; null if no request with tokens has a known price. */
  cost_usd: z.number().nullable(),
  /** Requests that used tokens at an unknown price. `cost_usd` excludes them. */
  unpriced_requests: count,
  /** Null if unknown for every request. */
  provider_savings_usd: z.number().nullable(),
});
export type UsageFigures = z.infer<typeof usageFigures>;

/** Requests from `from` (inclusive) to `to` (exclusive). */
export const usageSummary = usageFigures.extend({
  object: z.literal('usage.summary'),
  from: timestamp,
  to: timestamp,
});
export type UsageSummary = z.infer<typeof usageSummary>;

/** One UTC day. */
export const usageDay = usageFigures.extend({ object: z.literal('usage.day'), date: z.iso.date() });
export type UsageDay = z.infer<typeof usageDay>;
export const usageDayList = listOf(usageDay);

export const keyUsage = usageFigures.extend({
  object: z.literal('usage.key'),
  key_id: id,
  /** Null for a revoked key. */
  name: z.string().nullable(),
});
export type KeyUsage = z.infer<typeof keyUsage>;
/** Covers the current billing period or the requested time range. */
export const keyUsageList = listOf(keyUsage).extend({ period_start: timestamp, period_end: timestamp });

/** Filters of analytics: one key, model or session id. */
export const usageFilter = requestLogQuery.pick({ key_id: true, model: true, session_id: true });
export type UsageFilter = z.infer<typeof usageFilter>;
export const analyticsQuery = daysQuery.extend(usageFilter.shape);

/** Sums read from the request log itself. */
const loggedFigures = usageFigures.extend({
  /**
   * Savings before their costs (repeated cache writes, recovery rounds); null if unknown for every request.
   */
  gross_savings_usd: z.number().nullable().default(null),
});

const ms = z.number().nonnegative().nullable();

export const analyticsModel = loggedFigures.extend({ provider: z.string(), model: z.string() });

/** Figures for dashboards. Milliseconds cover requests with the status `ok`; null without any. */
const analyticsFigures = loggedFigures.extend({
  sessions: count,
  statuses: z.record(requestStatus, count),
  /** Requests with pruned tools. */
  pruned_requests: count,
  first_byte_p50_ms: ms,
  first_byte_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  overhead_p50_ms: ms,
  overhead_p95_ms: ms,
  /** The 20 most used models. */
  models: z.array(analyticsModel),
});
export const analyticsDay = analyticsFigures.extend({
  object: z.literal('usage.analytics_day'),
  date: z.iso.date(),
});
export type AnalyticsDay = z.infer<typeof analyticsDay>;

const bound = z.number().min(0).max(1).nullable();

/**
 * Recall of the plan over shadow conversations with tool calls: the share in which the plan contained every
 * called tool, and its exact one-sided 95% bounds. Null without any.
 */
export const measuredRecall = z.object({ sessions: count, value: bound, low: bound, high: bound });
export type MeasuredRecall = z.infer<typeof measuredRecall>;

/** All days together. Percentiles and session counts cannot be summed over days. */
export const analyticsTotals = analyticsFigures.extend({ recall: measuredRecall });
export type AnalyticsTotals = z.infer<typeof analyticsTotals>;

export const analyticsDayList = listOf(analyticsDay).extend({
  from: timestamp,
  to: timestamp,
  /** Null if the worker runs the previous release. */
  totals: analyticsTotals.nullable(),
});

/** The requests with the same `X-Svc-Session-Id`. */
export const usageSession = loggedFigures.extend({
  object: z.literal('session'),
  session_id: z.string(),
  first_request_at: timestamp,
  last_request_at: timestamp,
  /** `<provider>/<model>`, at most 20. */
  models: z.array(z.string()),
});
export type UsageSession = z.infer<typeof usageSession>;
export const usageSessionPage = pageOf(usageSession);
