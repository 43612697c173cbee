import { z } from 'zod';
import { count, timestamp } from '../common.ts';
import { listOf } from './list.ts';
import { routingTrace } from './request-log.ts';

export const tracesQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(50) });

/** One decision about tools, with its best candidates and those that were called. */
export const recentRoutingTrace = routingTrace.extend({
  /** How many candidates there were: the request's detail lists them all. */
  candidates_total: count,
});
export type RecentRoutingTrace = z.infer<typeof recentRoutingTrace>;
export const recentRoutingTraceList = listOf(recentRoutingTrace);

const share = z.number().min(0).max(1);
const model = z.object({ provider: z.string(), model_id: z.string() });

/** What the log showed of an account's models. Each list has the best first, five at most. */
export const routingInsights = z.object({
  object: z.literal('routing.insights'),
  from: timestamp,
  to: timestamp,
  /** Models with fewer samples are in neither `best_recall` nor `fastest`. */
  samples_min: count,
  /** `samples` are requests that had tools left out and tools called; `tool_recall`: none of those called was left out. */
  best_recall: z.array(model.extend({ tool_recall: share, samples: count })),
  /** By the median of the first token, over streamed requests. */
  fastest: z.array(model.extend({ first_token_p50_ms: z.number().nonnegative(), samples: count })),
  /** `share` is of all requests that reached a model. */
  most_used: z.array(model.extend({ requests: count, share })),
});
export type RoutingInsights = z.infer<typeof routingInsights>;
