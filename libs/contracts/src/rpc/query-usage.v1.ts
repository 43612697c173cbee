import { z } from 'zod';
import { analyticsDay, analyticsHour, analyticsTotals } from '../api/analytics.ts';
import { keyUsage, usageCache, usageDay, usageFigures, usageFilter, usageSession } from '../api/usage.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
/** A time range from `from` (inclusive) to `to` (exclusive). */
const span = z.object({ accountId: id, from: timestamp, to: timestamp });

export const summarizeUsage = defineRpc({
  ...common,
  subject: 'worker.summarize-usage.v1',
  request: span,
  reply: z.object({ figures: usageFigures }),
});

/** Lists the days with requests, oldest first. Days without requests are omitted. */
export const listDailyUsage = defineRpc({
  ...common,
  subject: 'worker.list-daily-usage.v1',
  request: span,
  reply: z.object({ days: z.array(usageDay) }),
});

/** Lists at most 1,000 API keys, most used first. */
export const listKeyUsage = defineRpc({
  ...common,
  subject: 'worker.list-key-usage.v1',
  request: span,
  reply: z.object({ keys: z.array(keyUsage.omit({ name: true })) }),
});

/**
 * Reads daily figures for the days with requests, oldest first, and the totals. With `hasHours`, also reads the
 * figures of the hours with requests.
 */
export const listDailyAnalytics = defineRpc({
  ...common,
  subject: 'worker.list-daily-analytics.v1',
  request: span.extend({ filter: usageFilter.default({}), hasHours: z.boolean().default(false) }),
  reply: z.object({
    days: z.array(analyticsDay),
    totals: analyticsTotals.nullable().default(null),
    /** Workers of the previous release omit `hours`. */
    hours: z.array(analyticsHour).nullable().default(null),
  }),
});

/** Reads prompt cache statistics and the causes of cache misses. */
export const reportCache = defineRpc({
  ...common,
  subject: 'worker.report-cache.v1',
  request: span.extend({ sessionId: z.string().nullable() }),
  reply: z.object({ figures: usageCache.omit({ object: true, from: true, to: true }) }),
});

/** Lists session ids, most recently active first. The figures include only requests within the time range. */
export const listSessions = defineRpc({
  ...common,
  subject: 'worker.list-sessions.v1',
  request: span.extend({ limit: z.int().min(1).max(500), offset: count }),
  reply: z.object({ total: count, sessions: z.array(usageSession) }),
});
