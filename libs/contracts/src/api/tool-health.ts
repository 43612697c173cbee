import { z } from 'zod';
import { count, id, timestamp } from '../common.ts';
import { pageOf, pageQuery } from './list.ts';

/** Of the last days, today (UTC) included. */
export const toolHealthQuery = pageQuery.extend({ days: z.coerce.number().int().min(1).max(90).default(7) });
export const recallAlertsQuery = pageQuery.extend({
  days: z.coerce.number().int().min(1).max(90).default(30),
});

/** What became of a tool in the requests that offered it. */
export const toolHealth = z.object({
  object: z.literal('tool_health'),
  name: z.string(),
  /** In requests: a tool counts once in each. */
  stats: z.object({
    offered: count,
    forwarded: count,
    called: count,
    /** Called although it had been left out. */
    called_when_pruned: count,
    /** Of the requests to which it was forwarded, in how many it was called; null when there were none. */
    call_through_rate: z.number().min(0).max(1).nullable(),
    /** Its rank among the candidates when it was called, 1 being the best; null when it never was. */
    mean_rank_when_called: z.number().min(1).nullable(),
  }),
  last_seen_at: timestamp,
});
export type ToolHealth = z.infer<typeof toolHealth>;
export const toolHealthPage = pageOf(toolHealth).extend({
  from: timestamp,
  to: timestamp,
  /** How many requests were looked at, the newest first: 1,000 at most. */
  requests_considered: count,
});

/**
 * A tool that was needed and not forwarded. `hallucinated_call`: the model called it by a name that it was not given;
 * `recovery`: it asked for it by the gateway's own tool; `shadow`: everything was forwarded, and the plan that was made
 * beside would have left it out.
 */
export const recallAlert = z.object({
  object: z.literal('recall_alert'),
  tool: z.string(),
  request_id: id,
  detected_by: z.enum(['hallucinated_call', 'shadow', 'recovery']),
  rank: z.int().positive(),
  k: z.int().nullable(),
  at: timestamp,
});
export type RecallAlert = z.infer<typeof recallAlert>;
export const recallAlertPage = pageOf(recallAlert);
