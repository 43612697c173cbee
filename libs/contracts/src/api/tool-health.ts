import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { pageOf, pageQuery } from '../base/list.ts';

/** Of the last days, today (UTC) included. */
export const toolHealthQuery = pageQuery.extend({ days: z.coerce.number().int().min(1).max(90).default(7) });
export const recallAlertsQuery = pageQuery.extend({
  days: z.coerce.number().int().min(1).max(90).default(30),
});

/** Why a description lost points, and what to do about it. */
export const descriptionIssue = z.object({
  code: z.string(),
  /** Of 100. */
  points: count,
  text: z.string(),
});

/** What became of a tool in the requests that offered it. */
export const toolHealth = z.object({
  object: z.literal('tool_health'),
  name: z.string(),
  /** 0 to 100: what it loses is in `issues`. Null until its definition was seen, which is with its next request. */
  description_score: z.number().min(0).max(100).nullable(),
  issues: z.array(descriptionIssue),
  /** In plain words, the one that gains most first. */
  suggestions: z.array(z.string()),
  /** Tools offered with it that it is hard to tell from, the nearest first. */
  near_duplicates: z.array(z.object({ name: z.string(), similarity: z.number().min(0).max(1) })),
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
 * A way to tell two tools apart that are taken for each other: `tool` was called, and `collides_with` stood before it
 * without being called.
 */
export const toolSuggestion = z.object({
  object: z.literal('tool_suggestion'),
  tool: z.string(),
  collides_with: z.string(),
  evidence: z.object({
    /** Requests that called the tool, and among them those in which the other stood before it, or it was left out too. */
    calls: count,
    ranked_below: count,
    left_out: count,
    /** Intents of those requests, the most frequent first. */
    intents: z.array(z.string()),
    /** How alike the two definitions are; null when they were not offered together lately, or are not alike. */
    similarity: z.number().min(0).max(1).nullable(),
  }),
  /** Made of the tools' names and parameters. Null where nothing in them tells the two apart. */
  suggested_description: z.string().nullable(),
  /** For `x-svc-examples`. */
  suggested_examples: z.array(z.string()),
  /** What the account's own recorded decisions say, scored again as if the two were told apart: at most this. */
  expected_gain: z.object({
    decisions: count,
    mean_rank_before: z.number().min(1),
    mean_rank_after: z.number().min(1),
    /** Decisions that left the tool out and would not have. */
    recalled: count,
  }),
});
export type ToolSuggestion = z.infer<typeof toolSuggestion>;
export const toolSuggestionPage = pageOf(toolSuggestion).extend({
  from: timestamp,
  to: timestamp,
  requests_considered: count,
});
export const toolSuggestionsQuery = pageQuery.extend({
  days: z.coerce.number().int().min(1).max(90).default(30),
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
