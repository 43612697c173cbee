import { z } from 'zod';
import { count, id, instant, keepable, timestamp } from '../base/common.ts';
import { listOf, pageOf, pageQuery } from '../base/list.ts';
import { cacheMiss } from './cache-miss.ts';
import { requestSavings, requestSort, requestStatus } from './request-log.ts';

/**
 * Filters for the request log. A request log entry must match every given filter. `from` is inclusive, and
 * `to` is exclusive.
 */
export const requestLogQuery = pageQuery.extend({
  key_id: z.uuid().optional(),
  /** Matches the model that was requested or the model that was used. `<provider>/<model>` is also accepted. */
  model: keepable(z.string().min(1).max(512)).optional(),
  session_id: keepable(z.string().min(1).max(1_024)).optional(),
  status: requestStatus.optional(),
  from: instant.optional(),
  to: instant.optional(),
  search: keepable(z.string().trim().min(1).max(200))
    .optional()
    .meta({
      description:
        'Finds a text in session ids, model names, error codes and error messages (a part of the text is enough), and whole request ids and names of called tools.',
      examples: ['rate_limit'],
    }),
  sort: requestSort.default('created_at').meta({
    description: 'The field by which the requests are sorted. `duration` is `ms.total`.',
    examples: ['cost_usd'],
  }),
  order: z
    .enum(['asc', 'desc'])
    .default('desc')
    .meta({
      description: 'The direction of the sorting. Requests without a value come last.',
      examples: ['desc'],
    }),
});

/** The filters for the request log, without pagination and sorting. */
export const requestExportQuery = requestLogQuery
  .omit({ limit: true, offset: true, sort: true, order: true })
  .extend({ format: z.enum(['csv', 'jsonl']).default('csv') });

export const spanQuery = z.strictObject({ from: instant.optional(), to: instant.optional() });
export const sessionsQuery = pageQuery.extend(spanQuery.shape);
/** A time range for usage figures, which covers the last `days` days including today (UTC). */
export const daysQuery = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(30) });

export const grossSavings = z
  .number()
  .nullable()
  .meta({
    description:
      'Savings on provider bills in USD before costs (cache rewrites, recovery rounds) are subtracted. Null if the savings are unknown for every request.',
    examples: [2.04],
  });

/** Request, token and tool counts. The parameter `known` is the schema of each number. */
const countsOf = <Count extends z.ZodType>(known: Count) => ({
  requests: known.meta({ description: 'Accepted requests with any outcome.', examples: [412] }),
  errors: known.meta({ description: 'Requests with the status `error`.', examples: [3] }),
  prompt_tokens: known.meta({
    description: 'Input tokens of the requests with known token counts.',
    examples: [1_204_331],
  }),
  completion_tokens: known.meta({
    description: 'Output tokens of the requests with known token counts.',
    examples: [84_120],
  }),
  total_tokens: known.meta({
    description: 'The sum of `prompt_tokens` and `completion_tokens`.',
    examples: [1_288_451],
  }),
  cached_tokens: known.meta({
    description: 'Input tokens that the provider read from its prompt cache.',
    examples: [902_114],
  }),
  tools_in: known.meta({
    description: 'Tools received, after applying the keys’ tool lists.',
    examples: [11_700],
  }),
  tools_out: known.meta({
    description: 'Tool definitions that reached the model, as in `tools_out` of a request.',
    examples: [1_350],
  }),
});

/** Request totals. The parameter `known` is the schema of each number. */
const figuresOf = <Count extends z.ZodType>(known: Count) =>
  z.object({
    ...countsOf(known),
    ...requestSavings(known),
    total_tokens_saved: known.meta({
      description: 'Savings in the billing unit (`estimated_tokens_saved` + `compression_tokens_saved`).',
      examples: [1_119_210],
    }),
    cost_usd: z
      .number()
      .nullable()
      .meta({
        description:
          'Cost of the requests with known prices. Null if no request with tokens has a known price.',
        examples: [3.214],
      }),
    unpriced_requests: known.meta({
      description: 'Requests that used tokens at an unknown price, which `cost_usd` excludes.',
      examples: [0],
    }),
    provider_savings_usd: z
      .number()
      .nullable()
      .meta({
        description:
          'Savings on provider bills in USD, minus the costs of saving. Negative if the costs exceed the savings. Null if the savings are unknown for every request.',
        examples: [1.87],
      }),
  });

/**
 * Totals of an account's requests. The totals are kept after the request log is deleted. A count is null if
 * the computation requires log entries that were deleted.
 */
export const usageFigures = figuresOf(count.nullable());
export type UsageFigures = z.infer<typeof usageFigures>;

/** Totals of the requests from `from` (inclusive) to `to` (exclusive). */
export const usageSummary = usageFigures.extend({
  object: z.literal('usage.summary'),
  from: timestamp,
  to: timestamp,
});
export type UsageSummary = z.infer<typeof usageSummary>;

/** The request totals for one UTC day. */
export const usageDay = usageFigures.extend({ object: z.literal('usage.day'), date: z.iso.date() });
export type UsageDay = z.infer<typeof usageDay>;
export const usageDayList = listOf(usageDay);

export const keyUsage = usageFigures.extend({
  object: z.literal('usage.key'),
  key_id: id,
  /** The name of the API key. Null if the key was revoked. */
  name: z.string().nullable(),
});
export type KeyUsage = z.infer<typeof keyUsage>;
/** Totals per API key for the current billing period or the requested time range. */
export const keyUsageList = listOf(keyUsage).extend({ period_start: timestamp, period_end: timestamp });

/** Analytics filters, each of which selects a single key, model or session id. */
export const usageFilter = requestLogQuery.pick({ key_id: true, model: true, session_id: true });
export type UsageFilter = z.infer<typeof usageFilter>;
/** Request totals computed directly from the request log. */
export const loggedFigures = figuresOf(count).extend({ gross_savings_usd: grossSavings.default(null) });

export const cacheQuery = spanQuery.extend(requestLogQuery.pick({ session_id: true }).shape);

/**
 * Prompt cache statistics from `from` (inclusive) to `to` (exclusive), and the causes of cache
 * misses.
 */
export const usageCache = z.object({
  object: z.literal('usage.cache'),
  from: timestamp,
  to: timestamp,
  requests: count.meta({
    description: 'Requests with a prompt that the model could cache, because the prompt was long enough.',
    examples: [398],
  }),
  prompt_tokens: count.meta({ description: 'Input tokens of the counted requests.', examples: [3_204_331] }),
  cached_tokens: count.meta({
    description: 'Input tokens that were read from the cache.',
    examples: [2_902_114],
  }),
  cache_write_tokens: count.meta({
    description: 'Input tokens that were written to the cache.',
    examples: [210_331],
  }),
  missed_requests: count.meta({ description: 'Requests that missed the cache.', examples: [9] }),
  missed_tokens: count.meta({ description: 'The sum of `tokens` of all causes.', examples: [61_440] }),
  missed_usd: z
    .number()
    .nullable()
    .meta({
      description: 'The sum of `usd` over all causes. Null if `usd` is unknown for all causes.',
      examples: [0.31],
    }),
  /** Causes of cache misses, sorted by tokens, highest first. */
  causes: z.array(
    cacheMiss.extend({ requests: count.meta({ description: 'Requests with the cause.', examples: [4] }) }),
  ),
});
export type UsageCache = z.infer<typeof usageCache>;

/** Totals for the requests that share a session id. */
export const usageSession = loggedFigures.extend({
  object: z.literal('session'),
  session_id: z.string(),
  first_request_at: timestamp,
  last_request_at: timestamp,
  /** The models that served the requests, as `<provider>/<model>`, at most 20. */
  models: z.array(z.string()),
  /** Workers from the previous release omit `cache_missed_tokens`. */
  cache_missed_tokens: count.default(0).meta({
    description: 'Input tokens that missed the provider’s prompt cache, the sum of `cache_miss.tokens`.',
    examples: [8_192],
  }),
});
export type UsageSession = z.infer<typeof usageSession>;
export const usageSessionPage = pageOf(usageSession);
