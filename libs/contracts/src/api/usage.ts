import { z } from 'zod';
import { count, id, instant, keepable, timestamp } from '../base/common.ts';
import { listOf, pageOf, pageQuery } from '../base/list.ts';
import { requestStatus } from './request-log.ts';

/** Query of the request log. What is given narrows it; `from` is inclusive, `to` is not. */
export const requestLogQuery = pageQuery.extend({
  key_id: z.uuid().optional(),
  /** A model as answered or as requested; also `<provider>/<model>`. */
  model: keepable(z.string().min(1).max(512)).optional(),
  session_id: keepable(z.string().min(1).max(256)).optional(),
  status: requestStatus.optional(),
  from: instant.optional(),
  to: instant.optional(),
});

/** The same filters, without pages. */
export const requestExportQuery = requestLogQuery
  .omit({ limit: true, offset: true })
  .extend({ format: z.enum(['csv', 'jsonl']).default('csv') });

export const spanQuery = z.strictObject({ from: instant.optional(), to: instant.optional() });
export const sessionsQuery = pageQuery.extend(spanQuery.shape);
/** The last days, today (UTC) included. */
export const daysQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) });

/** Sums over rows of the request log. Tokens and money are those of the requests that have figures. */
export const usageFigures = z.object({
  requests: count,
  /** Requests whose status is `error`. */
  errors: count,
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  tools_in: count,
  tools_out: count,
  estimated_tokens_saved: count,
  compression_tokens_saved: count,
  /** The sum of both, which is what is billed. */
  total_tokens_saved: count,
  /** Of the requests whose price is known; null when it is known of none that used tokens. */
  cost_usd: z.number().nullable(),
  /** Requests that used tokens at a price that nobody knows: `cost_usd` is without them. */
  unpriced_requests: count,
  /** Null when it is known of no request. */
  provider_savings_usd: z.number().nullable(),
});
export type UsageFigures = z.infer<typeof usageFigures>;

/** Of the requests from `from` (inclusive) to `to` (exclusive). */
export const usageSummary = usageFigures.extend({
  object: z.literal('usage.summary'),
  from: timestamp,
  to: timestamp,
});
export type UsageSummary = z.infer<typeof usageSummary>;

/** A day, UTC. */
export const usageDay = usageFigures.extend({ object: z.literal('usage.day'), date: z.iso.date() });
export type UsageDay = z.infer<typeof usageDay>;
export const usageDayList = listOf(usageDay);

export const keyUsage = usageFigures.extend({
  object: z.literal('usage.key'),
  key_id: id,
  /** Null for a key that was revoked. */
  name: z.string().nullable(),
});
export type KeyUsage = z.infer<typeof keyUsage>;
/** For the current billing period, or the span that was asked for. */
export const keyUsageList = listOf(keyUsage).extend({ period_start: timestamp, period_end: timestamp });

/** What narrows analytics: requests of one key, model or session. */
export const usageFilter = requestLogQuery.pick({ key_id: true, model: true, session_id: true });
export type UsageFilter = z.infer<typeof usageFilter>;
export const analyticsQuery = daysQuery.extend(usageFilter.shape);

/** Sums that are read from the log itself. */
const loggedFigures = usageFigures.extend({
  /** What was saved before what that cost (caches written once more, hidden rounds); null when it is known of no request. */
  gross_savings_usd: z.number().nullable().default(null),
});

const ms = z.number().nonnegative().nullable();

export const analyticsModel = loggedFigures.extend({ provider: z.string(), model: z.string() });

/** What dashboards draw. Milliseconds are of the requests that ended `ok`; null when there were none. */
const analyticsFigures = loggedFigures.extend({
  sessions: count,
  statuses: z.record(requestStatus, count),
  /** Requests from which tools were left out. */
  pruned_requests: count,
  first_byte_p50_ms: ms,
  first_byte_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  overhead_p50_ms: ms,
  overhead_p95_ms: ms,
  /** The 20 most used. */
  models: z.array(analyticsModel),
});
export const analyticsDay = analyticsFigures.extend({
  object: z.literal('usage.analytics_day'),
  date: z.iso.date(),
});
export type AnalyticsDay = z.infer<typeof analyticsDay>;

const bound = z.number().min(0).max(1).nullable();

/**
 * Of the shadow sessions in which tools were called: in which share the plan held every tool that was called, and its exact
 * one-sided 95% bounds. Null without any.
 */
export const measuredRecall = z.object({ sessions: count, value: bound, low: bound, high: bound });
export type MeasuredRecall = z.infer<typeof measuredRecall>;

/** All of the days as one: percentiles and sessions do not add up. */
export const analyticsTotals = analyticsFigures.extend({ recall: measuredRecall });
export type AnalyticsTotals = z.infer<typeof analyticsTotals>;

export const analyticsDayList = listOf(analyticsDay).extend({
  from: timestamp,
  to: timestamp,
  /** Null while workers of the release before answer. */
  totals: analyticsTotals.nullable(),
});

/** The requests that came with one `X-Svc-Session-Id`. */
export const usageSession = loggedFigures.extend({
  object: z.literal('session'),
  session_id: z.string(),
  first_request_at: timestamp,
  last_request_at: timestamp,
  /** `<provider>/<model>`, 20 at most. */
  models: z.array(z.string()),
});
export type UsageSession = z.infer<typeof usageSession>;
export const usageSessionPage = pageOf(usageSession);
