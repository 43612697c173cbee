import { z } from 'zod';
import { count, id, timestamp } from '../base/common.ts';
import { pageOf } from '../base/list.ts';
import { routingMode } from './routing-preferences.ts';

export const requestStatus = z.enum(['ok', 'error', 'cancelled', 'truncated', 'interrupted']);
export type RequestStatus = z.infer<typeof requestStatus>;

/**
 * `taken`: compressed under the account's settings. `cleared`: with this request old results went out as summaries. `kept`: the
 * session was begun under other settings and goes on under them, since other words would cost more than they save.
 */
export const contextDecision = z.enum(['taken', 'cleared', 'kept']);

/** Durations in milliseconds. A stage that did not run is null. */
export const requestTimings = z.object({
  total: z.number(),
  first_byte: z.number().nullable(),
  overhead: z.number().nullable(),
  auth: z.number().nullable(),
  plan: z.number().nullable(),
  upstream: z.number().nullable(),
});

/** A line of the request log. */
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
  tools_in: count,
  tools_out: count,
  routing: z.enum(['semantic', 'keyword']).nullable(),
  k: z.int().nullable(),
  k_reason: z.string().nullable(),
  prompt_tokens: count.nullable(),
  completion_tokens: count.nullable(),
  total_tokens: count.nullable(),
  cached_tokens: count.nullable(),
  usage_estimated: z.boolean(),
  estimated_tokens_saved: count,
  compression_tokens_saved: count,
  cost_usd: z.number().nullable(),
  provider_savings_usd: z.number().nullable(),
  /** The same before what it cost. Absent in replies of workers before. */
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
  /** Whether the plan would have it forwarded: in shadow routing everything is. */
  planned: z.boolean(),
  called: z.boolean(),
  always_in: z.string().nullable(),
});

/** In short, how a request that leaves its model to the gateway got it. */
const shortModelChoice = z.object({
  mode: routingMode,
  reason: z.string(),
  /** 0 to 1. */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /** The best three, `<provider>/<model>`. */
  candidates: z.array(z.string()),
});

/** Why a request's tools were kept or left out. */
export const routingTrace = z.object({
  request_id: id,
  created_at: timestamp,
  intent: z.string().nullable(),
  k: z.int().nullable(),
  k_reason: z.string().nullable(),
  method: z.enum(['semantic', 'keyword']).nullable(),
  candidates: z.array(routingCandidate),
  toolset_version: z.string().nullable(),
  /** Null where the client named the model. Of a worker of the previous version until 0.3. */
  model_choice: shortModelChoice.nullable().default(null),
});

/** How `svc/auto`, `svc/cheap`, `svc/fast` or `svc/capable` was served. */
export const modelChoice = z.object({
  mode: routingMode,
  /**
   * Why the first candidate was asked: `complexity_low|medium|high`, `cheapest`, `fastest`, `explored`, `most_capable`, `session`,
   * `session_moved`, `bound_thinking`.
   */
  reason: z.string(),
  /** 0 to 1: how much the session's task asks for; 0 where that does not matter. */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /** The best sixteen. `score` is USD (auto, cheap), milliseconds (fast), or quality times tool recall (capable). */
  candidates: z.array(
    z.object({
      id: z.string(),
      score: z.number().nullable(),
      quality: z.number(),
      cost_usd: z.number().nullable(),
    }),
  ),
  candidates_count: count,
  /** Models that a rule left out, 64 at most. */
  excluded: z.array(z.object({ id: z.string(), rule: z.string() })),
  excluded_count: count,
});

/** The beginning of a body, up to 2 MiB of it; as base64 where it is not text. */
const shownContent = z.object({
  encoding: z.enum(['utf8', 'base64']),
  text: z.string(),
  bytes: count,
  is_cut: z.boolean(),
});

/** One request whole: its log line, the routing trace, what was called and missed, and each compression step. */
export const requestDetail = requestLogEntry.extend({
  lane: z.enum(['untouched', 'edited', 'translated']).nullable(),
  plan_defect: z.string().nullable(),
  trace: routingTrace,
  forwarded_tools: z.array(z.string()),
  called_tools: z.array(z.string()),
  /** Left out, and brought back since the model asked for them. */
  recovered_tools: z.array(z.string()),
  missed_tools: z.array(z.string()),
  /** What of the request the provider's format could not carry. */
  losses: z.array(z.object({ field: z.string(), reason: z.string() })),
  compression_steps: z.array(z.object({ step: z.string(), tokens_before: count, tokens_after: count })),
  /** What compressing the conversation was worth, and what it left out; null where there was nothing to compress. */
  compression: z
    .object({
      decision: contextDecision,
      /** Tokens saved × price; null where the model's prices are not known. */
      saved_usd: z.number().nullable(),
      /** What went to the provider's prompt cache once more for it. */
      rewritten_usd: z.number().nullable(),
      /**
       * Exact tokens (o200k) of what was compressed when it came with this request, counted afterwards; null while nothing is
       * counted, or when it is not kept any more (it is for a day).
       */
      exact: z.object({ blocks: count, tokens_before: count, tokens_after: count }).nullable(),
      /** The newest 64, with what stood there; null when it is not kept any more (it is for a day), or too long to show. */
      omissions: z.array(z.object({ marker: z.string(), original: z.string().nullable() })),
    })
    .nullable(),
  /** How the model was chosen; null where the request named it. */
  model_choice: modelChoice.nullable(),
  provider_request_id: z.string().nullable(),
  error_message: z.string().nullable(),
  /**
   * What was said, where the account's policy has `content_logging`, and for as long as it keeps requests. Credentials that
   * came in the body, and what looks like one, are not part of it. Null where nothing is kept.
   */
  content: z
    .object({ request: shownContent, answer: shownContent.nullable(), expires_at: timestamp })
    .nullable()
    .default(null),
});
export type RequestDetail = z.infer<typeof requestDetail>;
