import { z } from 'zod';
import { count, timestamp } from '../base/common.ts';
import { listOf } from '../base/list.ts';
import { requestStatus } from './request-log.ts';
import { daysQuery, grossSavings, loggedFigures, usageFigures, usageFilter } from './usage.ts';

export const analyticsQuery = daysQuery.extend({
  ...usageFilter.shape,
  interval: z
    .enum(['day', 'hour'])
    .default('day')
    .meta({
      description: 'With `hour`, the answer also contains the figures of each hour. `days` must then be 1.',
      examples: ['hour'],
    }),
});

const ms = z.number().nonnegative().nullable();

export const analyticsModel = loggedFigures.extend({ provider: z.string(), model: z.string() });

const ofLog = 'Null if requests in the time range were deleted from the log.';

/**
 * Dashboard figures. Latencies are in milliseconds and include only requests with the status `ok`. A latency
 * is null if no request has the status `ok`. Figures computed from the request log are null if requests in
 * the time range were deleted from the log.
 */
const analyticsFigures = usageFigures.extend({
  gross_savings_usd: grossSavings.default(null),
  sessions: count.nullable().meta({ description: `Number of session ids. ${ofLog}`, examples: [17] }),
  statuses: z
    .record(requestStatus, count)
    .nullable()
    .meta({
      description: 'Requests by status. Null if the numbers are unknown.',
      examples: [{ ok: 405, error: 3, cancelled: 4, truncated: 0, interrupted: 0 }],
    }),
  pruned_requests: count.nullable().meta({ description: 'Requests with pruned tools.', examples: [233] }),
  first_byte_p50_ms: ms,
  first_byte_p95_ms: ms,
  total_p50_ms: ms,
  total_p95_ms: ms,
  overhead_p50_ms: ms,
  overhead_p95_ms: ms,
  models: z
    .array(analyticsModel)
    .nullable()
    .meta({ description: `The 20 most used models. ${ofLog}` }),
});
export const analyticsDay = analyticsFigures.extend({
  object: z.literal('usage.analytics_day'),
  date: z.iso.date(),
});
export type AnalyticsDay = z.infer<typeof analyticsDay>;
export const analyticsHour = analyticsFigures.omit({ models: true }).extend({
  object: z.literal('usage.analytics_hour'),
  hour: timestamp.meta({
    description: 'The start of the hour, in UTC.',
    examples: ['2026-11-23T14:00:00.000Z'],
  }),
});
export type AnalyticsHour = z.infer<typeof analyticsHour>;

const bound = z.number().min(0).max(1).nullable();

const boundedRecall = z.object({ value: bound, low: bound, high: bound });

/**
 * Recall measured in shadow conversations with tool calls, with exact one-sided 95% bounds. The shares range
 * from 0 to 1. All shares are null if no shadow conversation contains tool calls. For comparison, the
 * calibration figures show the current policy's expected recall.
 */
export const measuredRecall = boundedRecall.extend({
  sessions: count.meta({
    description: 'Shadow conversations in which the model called tools.',
    examples: [60],
  }),
  value: bound.meta({
    description:
      'Forwarded recall, the share of shadow conversations in which the plan contained every called tool.',
    examples: [0.9],
  }),
  low: bound.meta({ description: 'The lower bound of forwarded recall.', examples: [0.813] }),
  high: bound.meta({ description: 'The upper bound of forwarded recall.', examples: [0.955] }),
  /** Workers from the previous release omit `effective`. */
  effective: boundedRecall.default({ value: null, low: null, high: null }).meta({
    description:
      'Effective recall. A conversation that misses m tools counts with the recovery rate of its bucket to the power of m.',
    examples: [{ value: 0.95, low: 0.876, high: 0.986 }],
  }),
  /** Workers from the previous release omit `target`. */
  target: bound.default(null).meta({
    description: 'The current policy’s target for effective recall. Null before the first policy.',
    examples: [0.95],
  }),
});
export type MeasuredRecall = z.infer<typeof measuredRecall>;

/**
 * Figures for the whole time range. Daily figures cannot be added up, because percentiles and session counts
 * are not additive.
 */
export const analyticsTotals = analyticsFigures.extend({ recall: measuredRecall });
export type AnalyticsTotals = z.infer<typeof analyticsTotals>;

export const analyticsDayList = listOf(analyticsDay).extend({
  from: timestamp,
  to: timestamp,
  /** Totals for all days. Null if the worker still runs the previous release. */
  totals: analyticsTotals.nullable(),
  hours: z.array(analyticsHour).nullable().meta({
    description:
      'The hours of the day until now, oldest first, with `interval=hour`. Null without it, and if the worker still runs the previous release.',
  }),
});
