import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { pageOf } from '../base/list.ts';
import { cacheMiss } from './cache-miss.ts';
import { learnedScore, routingMode } from './routing-preferences.ts';

export const requestStatus = z.enum(['ok', 'error', 'cancelled', 'truncated', 'interrupted']);
export type RequestStatus = z.infer<typeof requestStatus>;

/** The fields by which the request log can be sorted. */
export const requestSort = z.enum(['created_at', 'cost_usd', 'duration']);

/**
 * The compression decision for a conversation. `taken` means that the request was compressed according to the
 * account's settings. `cleared` means that this request replaced old tool results with summaries. `kept`
 * means that the conversation keeps its initial settings, because a change would cost more than it saves.
 */
export const contextDecision = z.enum(['taken', 'cleared', 'kept']);

/** Durations in milliseconds. The duration of a skipped processing stage is null. */
export const requestTimings = z.object({
  total: z.number(),
  first_byte: z.number().nullable(),
  overhead: z.number().nullable(),
  auth: z.number().nullable(),
  plan: z.number().nullable(),
  upstream: z.number().nullable(),
});

/**
 * Saved tokens in the billing unit, for one request or a time range. Each number has the schema `known`.
 */
export const billedSavings = <Count extends z.ZodType>(known: Count) => ({
  estimated_tokens_saved: known.meta({
    description:
      'Tokens saved by pruning tools, in the billing unit. The formula is (`tools_in` − `tools_out`) × 100, with a minimum of 0. The measured figure is `tool_tokens_saved`.',
    examples: [10_400],
  }),
  compression_tokens_saved: known.meta({
    description: 'Estimated tokens saved by compressing the conversation and tool schemas.',
    examples: [812],
  }),
  recovery_tokens_deducted: known.meta({
    description:
      'The value of `recovery_tokens`, limited to `estimated_tokens_saved` + `compression_tokens_saved` of the request.',
    examples: [0],
  }),
  net_tokens_saved: known.meta({
    description:
      'The net savings are `estimated_tokens_saved` + `compression_tokens_saved` − `recovery_tokens_deducted`, and are never negative. Credits, budgets, the ledger and fees use the net savings.',
    examples: [11_212],
  }),
});

/**
 * The saved tokens of one request, or the sums for several requests. The savings are reported both in
 * measured tokens and in the billing unit.
 */
export const requestSavings = <Count extends z.ZodType>(known: Count) => ({
  tool_tokens_saved: z
    .int()
    .nullable()
    .default(null)
    .meta({
      description:
        'Tokens (encoding o200k) of the tool definitions that pruning kept from the model, minus the tokens of the recovery tool. Negative if the recovery tool was longer. Null if not measured.',
      examples: [21_430],
    }),
  recovery_tokens: known.meta({
    description: 'Input and output tokens of recovery rounds (provider calls that the client does not see).',
    examples: [0],
  }),
  ...billedSavings(known),
});

/** A request log entry. */
export const requestLogEntry = z.object({
  id,
  object: z.literal('request'),
  created_at: timestamp,
  session_id: z.string().nullable(),
  client_request_id: z.string().nullable(),
  key_id: id,
  endpoint: z.string(),
  format: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  requested_model: z.string().nullable(),
  stream: z.boolean(),
  status: requestStatus,
  http_status: z.int().nullable(),
  error_code: z.string().nullable(),
  intent: z.string().nullable(),
  tools_offered: count
    .nullable()
    .default(null)
    .meta({
      description:
        'Tools in the client’s request, as in the header `x-svc-tools-input`. Null for requests of earlier releases.',
      examples: [117],
    }),
  tools_in: count.meta({
    description:
      'Tools in the request after applying the key’s tool lists. Tools that the lists remove do not count as savings.',
    examples: [117],
  }),
  tools_out: count.meta({
    description:
      'Tool definitions that reached the model, as in the header `x-svc-tools-output`. The number includes forwarded tools, the recovery tool, tools described in recovery rounds, and tools found by deferral. The log also counts tools that were found after the headers were sent.',
    examples: [13],
  }),
  tools_pruned: count
    .nullable()
    .default(null)
    .meta({
      description: 'Pruned tools. Null for requests of earlier releases.',
      examples: [105],
    }),
  routing: z.enum(['semantic', 'keyword']).nullable(),
  k: z.int().nullable(),
  k_reason: z.string().nullable(),
  prompt_tokens: count.nullable(),
  completion_tokens: count.nullable(),
  total_tokens: count.nullable(),
  cached_tokens: count.nullable(),
  /** Workers from the previous release omit `cache_write_tokens`. */
  cache_write_tokens: count
    .nullable()
    .default(null)
    .meta({ description: 'Input tokens written to the provider’s prompt cache.', examples: [2_048] }),
  /** Workers from the previous release omit `cache_miss`. */
  cache_miss: cacheMiss.nullable().default(null).meta({
    description:
      'The cause of a prompt cache miss, found by comparing hashes of the prompt with hashes from the conversation’s earlier requests. Null if the request missed nothing or was not compared.',
  }),
  usage_estimated: z.boolean(),
  ...requestSavings(count),
  cost_usd: z.number().nullable(),
  provider_savings_usd: z.number().nullable(),
  /** Savings in USD, before costs are subtracted. Workers from the previous release omit `gross_savings_usd`. */
  gross_savings_usd: z.number().nullable().default(null),
  ms: requestTimings,
  trace_id: z.string().nullable(),
});
export type RequestLogEntry = z.infer<typeof requestLogEntry>;
export const requestLogPage = pageOf(requestLogEntry);

export const routingCandidate = z.object({
  name: z.string(),
  score: z.number(),
  rank: z.int().positive(),
  forwarded: z.boolean(),
  /**
   * Whether the plan selects the tool. In a shadow conversation, tools that the plan does not select are also
   * forwarded.
   */
  planned: z.boolean(),
  called: z.boolean(),
  always_in: z.string().nullable(),
  /** Workers from the previous release do not send `learning`. */
  learning: learnedScore.nullable().default(null),
});

/** A summary of the routing decision. */
const shortModelChoice = z.object({
  mode: routingMode,
  reason: z.string(),
  /** The estimated complexity, from 0 to 1. */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /** The best three models for the request, as `<provider>/<model>`. */
  candidates: z.array(z.string()),
});

/** The decision about the request's tools, which states whether and why each tool was forwarded or pruned. */
export const routingTrace = z.object({
  request_id: id,
  created_at: timestamp,
  intent: z.string().nullable(),
  k: z.int().nullable(),
  k_reason: z.string().nullable(),
  method: z.enum(['semantic', 'keyword']).nullable(),
  candidates: z.array(routingCandidate),
  toolset_version: z.string().nullable(),
  /** Workers from the previous release omit `bucket`. */
  bucket: z
    .string()
    .nullable()
    .default(null)
    .meta({
      description:
        'The bucket of the conversation, as `<intent>:<size band>`. Null if the request was not planned.',
      examples: ['act:51-100'],
    }),
  /**
   * The model that was chosen. Null if the client specified the model. Workers from releases before 0.3 omit
   * `model_choice`.
   */
  model_choice: shortModelChoice.nullable().default(null),
});

/** The gateway's choice of a model for requests to `svc/auto`, `svc/cheap`, `svc/fast` or `svc/capable`. */
export const modelChoice = z.object({
  mode: routingMode,
  /**
   * The reason why the first candidate was selected, which is `complexity_low|medium|high`, `cheapest`,
   * `fastest`, `explored`, `most_capable`, `session`, `session_moved` or `bound_thinking`.
   */
  reason: z.string(),
  /**
   * Estimated complexity of the conversation's task, from 0 to 1. The complexity is 0 in modes that ignore
   * complexity.
   */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /**
   * The best 16 candidates for the request. `score` is an amount in USD (`auto`, `cheap`), a time in
   * milliseconds (`fast`), or quality multiplied by tool recall (`capable`).
   */
  candidates: z.array(
    z.object({
      id: z.string(),
      score: z.number().nullable(),
      quality: z.number(),
      cost_usd: z.number().nullable(),
    }),
  ),
  candidates_count: count,
  /** Up to 64 excluded models, each with the rule that excluded the model. */
  excluded: z.array(z.object({ id: z.string(), rule: z.string() })),
  excluded_count: count,
});

/** The first 2 MiB of a body. A body that is not text is base64-encoded. */
const shownContent = z.object({
  encoding: z.enum(['utf8', 'base64']),
  text: z.string(),
  bytes: count,
  is_cut: z.boolean(),
});

/** A single request with its log entry, routing trace, called and missed tools, and compression steps. */
export const requestDetail = requestLogEntry.extend({
  lane: z.enum(['untouched', 'edited', 'translated']).nullable(),
  plan_defect: z.string().nullable(),
  trace: routingTrace,
  forwarded_tools: z.array(z.string()),
  called_tools: z.array(z.string()),
  /** Pruned tools that the model requested and received during the request. */
  recovered_tools: z.array(z.string()),
  /** Tools that the model called in violation of the API key's allow and deny lists, at most 64. */
  denied_tools: z.array(z.string()),
  missed_tools: z.array(z.string()),
  /** Parts of the request that the provider's format cannot express. */
  losses: z.array(z.object({ field: z.string(), reason: z.string() })),
  compression_steps: z.array(z.object({ step: z.string(), tokens_before: count, tokens_after: count })),
  /**
   * Tokens saved and texts omitted by context compression. Null if the request had nothing to
   * compress.
   */
  compression: z
    .object({
      decision: contextDecision,
      /** Savings in USD (saved tokens × price). Null if the model's prices are unknown. */
      saved_usd: z.number().nullable(),
      /** Cost of rewriting the provider's prompt cache, in USD. */
      rewritten_usd: z.number().nullable(),
      /**
       * Exact token counts (encoding o200k) for the blocks compressed in this request. The gateway counts
       * tokens in the background, and keeps the counts for one day. Null if the token counts are
       * not available.
       */
      exact: z.object({ blocks: count, tokens_before: count, tokens_after: count }).nullable(),
      /**
       * The 64 newest omitted texts, with their original content. An original text is null if it is too long
       * to show or has expired (after one day).
       */
      omissions: z.array(z.object({ marker: z.string(), original: z.string().nullable() })),
    })
    .nullable(),
  /** The model choice. Null if the client specified the model. */
  model_choice: modelChoice.nullable(),
  provider_request_id: z.string().nullable(),
  error_message: z.string().nullable(),
  /**
   * The contents that were stored because of the account's `content_logging` policy. The contents are kept
   * for as long as the request data. Credentials in the body, and strings that look like credentials, are
   * removed. Null if no contents are stored.
   */
  content: z
    .object({ request: shownContent, answer: shownContent.nullable(), expires_at: timestamp })
    .nullable()
    .default(null),
});
export type RequestDetail = z.infer<typeof requestDetail>;
