import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { pageOf, pageQuery } from '../base/list.ts';

/** The tool health report covers the last `days` days, including today (UTC). */
export const toolHealthQuery = pageQuery.extend({ days: z.coerce.number().int().min(1).max(90).default(7) });
export const recallAlertsQuery = pageQuery.extend({
  days: z.coerce.number().int().min(1).max(90).default(30),
});

/** The reason why a tool description lost points, and how to improve the description. */
export const descriptionIssue = z.object({
  code: z.string(),
  /** Points deducted for this issue, out of 100. */
  points: count,
  text: z.string(),
});

/** Statistics for a tool, over the requests that offered the tool. */
export const toolHealth = z.object({
  object: z.literal('tool_health'),
  name: z.string(),
  /**
   * The score of the tool's description, from 0 to 100. `issues` explains the deductions. `description_score`
   * is null until a request with the tool has been assessed.
   */
  description_score: z.number().min(0).max(100).nullable(),
  issues: z.array(descriptionIssue),
  /** Reasons for the deductions in plain language, sorted by possible improvement, largest first. */
  suggestions: z.array(z.string()),
  /** Similar tools that were offered together with this tool, most similar first. */
  near_duplicates: z.array(z.object({ name: z.string(), similarity: z.number().min(0).max(1) })),
  /** Number of requests that offered the tool. A tool is counted once per request. */
  stats: z.object({
    offered: count,
    forwarded: count,
    called: count,
    /** Number of requests in which the model called the tool although the tool was pruned. */
    called_when_pruned: count,
    /** Number of requests in which the model called the tool in violation of the API key's allow and deny lists. */
    called_when_denied: count,
    /**
     * Among the requests that forwarded the tool, the share in which the model called the tool, from 0 to 1.
     * Null if the tool was never forwarded.
     */
    call_through_rate: z.number().min(0).max(1).nullable(),
    /**
     * Mean rank among the candidates when the tool was called (1 is best). Null if the tool was
     * never called.
     */
    mean_rank_when_called: z.number().min(1).nullable(),
  }),
  last_seen_at: timestamp,
});
export type ToolHealth = z.infer<typeof toolHealth>;
export const toolHealthPage = pageOf(toolHealth).extend({
  from: timestamp,
  to: timestamp,
  requests_considered: count.meta({
    description: 'Requests with tools in the time range, including requests with pruning off.',
    examples: [4_210],
  }),
});

/**
 * A suggestion for distinguishing two tools that models confuse. The model called `tool`, although the
 * gateway ranked `collides_with` higher.
 */
export const toolSuggestion = z.object({
  object: z.literal('tool_suggestion'),
  tool: z.string(),
  collides_with: z.string(),
  evidence: z.object({
    /**
     * `calls` is the number of requests in which the model called the tool. `ranked_below` is the number of
     * requests in `calls` in which `collides_with` ranked above the tool. `left_out` is the number of
     * requests in `ranked_below` in which the tool was pruned.
     */
    calls: count,
    ranked_below: count,
    left_out: count,
    /** Intents of the requests in which the model called the tool, most frequent first. */
    intents: z.array(z.string()),
    /**
     * Similarity of the two tool definitions, from 0 to 1. Null if the definitions are not
     * similar or were not recently offered together.
     */
    similarity: z.number().min(0).max(1).nullable(),
  }),
  /**
   * A suggested description, built from the tool names and parameters. Null if the two
   * tools have no distinguishing names or parameters.
   */
  suggested_description: z.string().nullable(),
  /** Suggested values for `x-svc-examples`. */
  suggested_examples: z.array(z.string()),
  /**
   * An upper bound of the improvement. The figures assume that the tool in `collides_with` no longer ranks
   * above this tool.
   */
  expected_gain: z.object({
    decisions: count,
    mean_rank_before: z.number().min(1),
    mean_rank_after: z.number().min(1),
    /**
     * Number of recorded decisions that pruned the tool, but would have forwarded the tool under this
     * assumption.
     */
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
 * A tool that was needed but not forwarded. The value `hallucinated_call` means that the model called this tool
 * although the tool was not sent. The value `recovery` means that the model used the recovery tool to request
 * this tool. The value `shadow` means that all tools were forwarded, but the plan would have pruned this tool.
 */
export const recallAlert = z.object({
  object: z.literal('recall_alert'),
  tool: z.string(),
  request_id: id,
  detected_by: z.enum(['hallucinated_call', 'shadow', 'recovery']),
  /** Rank of the tool among the candidates for the newest turn, where 1 is best. */
  rank: z.int().positive(),
  /** Number of tools that were forwarded because of their rank. Null if the number is unknown. */
  k: z.int().nullable(),
  /** Workers from the previous release omit `pruned_because`. */
  pruned_because: z
    .enum(['below_k', 'earlier_turn'])
    .nullable()
    .default(null)
    .meta({
      description:
        'The value `below_k` means that the tool ranks below K. The value `earlier_turn` means that the tool is among the best K now, but the conversation keeps the tool set from an earlier turn. Null if K is unknown.',
      examples: ['below_k'],
    }),
  at: timestamp,
});
export type RecallAlert = z.infer<typeof recallAlert>;
export const recallAlertPage = pageOf(recallAlert);
