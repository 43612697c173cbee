import { unlearnedCandidates } from '../rpc/account-head.v1.ts';
import { z } from 'zod';
import { count, id, sha256Hex, timestamp } from '../base/common.ts';
import { routingMode } from '../api/routing-preferences.ts';
import { contextDecision, requestStatus } from '../api/request-log.ts';
import { requestPrompt } from './request-prompt.v1.ts';
import { blockId, markerId } from '../rpc/compression.v1.ts';

/** The model that the gateway chose, if the request lets the gateway choose the model (`svc/auto`, …). */
export const modelChoiceRecord = z.object({
  mode: routingMode,
  /** The reason for the model choice as a single word, such as `complexity_high`, `cheapest` or `session`. */
  reason: z.string().max(64),
  /** Estimated complexity of the request, from 0 to 1. */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /** The best 16 candidates for the request, best first. */
  candidates: z.array(
    z.object({
      /** The model, as `<provider>/<model>`. */
      id: z.string().max(320),
      /**
       * The score that determines the order of the candidates. Depending on the mode, the score is an amount
       * in USD, a time in milliseconds, or quality multiplied by recall. Null means unknown.
       */
      score: z.number().nullable(),
      quality: z.number(),
      costUsd: z.number().nullable(),
    }),
  ),
  candidatesCount: count,
  /** Up to 64 excluded models, each with the rule that excludes the model. */
  excluded: z.array(z.object({ id: z.string().max(320), rule: z.string().max(64) })),
  excludedCount: count,
});
export type ModelChoiceRecord = z.infer<typeof modelChoiceRecord>;

/**
 * The data that is known when a request is accepted. The gateway writes the data about an accepted request to
 * the spool before it forwards the request.
 */
export const requestAcceptedV1 = z.object({
  v: z.literal(1),
  requestId: id,
  accountId: id,
  keyId: id,
  acceptedAt: timestamp,
  endpoint: z.string(),
  format: z.string(),
  sessionId: z.string().nullable(),
  clientRequestId: z.string().nullable(),
  traceId: z.string().nullable(),
});
export type RequestAcceptedV1 = z.infer<typeof requestAcceptedV1>;

/** A tool that the model called in a shadow conversation. */
const toolNeed = z.object({
  tool: z.string(),
  /**
   * The smallest K that would have included the tool in the plan. Any larger K would also have included the
   * tool.
   */
  heldFromK: z.int().min(1),
  /** Whether the recorded plan would have forwarded the tool. */
  isPlanned: z.boolean(),
  learnedFromK: z.int().min(1).optional(),
});
export type ToolNeed = z.infer<typeof toolNeed>;

/**
 * The outcome of an accepted request. Every accepted request produces exactly one outcome event. The event
 * contains neither contents nor secrets.
 */
export const requestEventV1 = requestAcceptedV1.extend({
  status: requestStatus,
  httpStatus: z.int().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().max(1000).nullable(),
  requestedModel: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  providerRequestId: z.string().nullable(),
  stream: z.boolean(),
  lane: z.enum(['untouched', 'edited', 'translated']).nullable(),
  /** Number of tools in the client's request. Gateways from the previous release omit `toolsOffered`. */
  toolsOffered: count.nullable().default(null),
  /** Number of tools that remain after the allow and deny lists are applied. */
  toolsIn: count,
  /**
   * Number of tool definitions that reached the model. These definitions are the forwarded tools, the
   * recovery tool, tools described in recovery rounds, and deferred tools that a search found.
   */
  toolsOut: count,
  /** Number of pruned tools. Gateways from the previous release omit `toolsPruned`. */
  toolsPruned: count.nullable().default(null),
  /**
   * Measured tokens (o200k) in the tool definitions that were not sent to the model, minus the tokens in the
   * recovery tool's definition. Null if the tokens were not counted. Gateways from the previous release omit
   * `toolTokensSaved`.
   */
  toolTokensSaved: z.int().nullable().default(null),
  /**
   * Names of the offered tools, if the gateway did not rank the tools. Gateways from the previous release
   * omit `offeredTools`.
   */
  offeredTools: z.array(z.string()).max(512).default([]),
  plan: z
    .object({
      intent: z.string().nullable(),
      method: z.enum(['semantic', 'keyword']).nullable(),
      k: z.int().nullable(),
      /**
       * The reason for the value of K. If the reason is `shadow`, every tool was forwarded. In shadow
       * conversations, the field `forwarded` of a ranked tool states whether the plan selected the tool.
       */
      kReason: z.string(),
      policyVersion: z.string().nullable(),
      /** The reason why all tools were forwarded instead of only the selected tools. */
      defect: z.string().nullable(),
      candidates: z.array(
        z.object({
          name: z.string(),
          score: z.number(),
          rank: z.int(),
          forwarded: z.boolean(),
          alwaysIn: z.string().nullable(),
        }),
      ),
      // Gateways from the previous release do not send the fields below.
      /** The id of the conversation's bucket (`bucketOf`), based on the intent of the first turn. */
      bucket: z.string().max(64).nullable().optional(),
      /**
       * Identifies the conversation within its account by the session header or, if the header is absent, by
       * the first turn. Recall measurements count each conversation once. See “conversation” in the glossary.
       */
      sessionKey: z.string().max(64).nullable().optional(),
      /** The first 16 hex digits of the hash of the tool list for which the plan was made. */
      toolList: z.string().max(64).nullable().optional(),
      /**
       * The recovery mode for pruned tools. Null if pruned tools cannot be recovered. See
       * “recovery mode” in the glossary.
       */
      recovery: z.enum(['in_place', 'regrown']).nullable().optional(),
      /** The provider's deferral feature, if the gateway used it instead of pruning. Otherwise null. */
      native: z.enum(['deferred', 'allowed']).nullable().optional(),
      /** Expected savings from pruning over the whole conversation, in tokens at the uncached input price. */
      worth: z.object({ saved: z.number(), spent: z.number() }).nullable().optional(),
      /**
       * The offered tools that the model called, without duplicates. Present only for shadow
       * conversations.
       */
      needs: z.array(toolNeed).optional(),
      /** Whether the plan includes the recovery tool. Present only in shadow conversations. */
      isArmed: z.boolean().optional(),
      /**
       * The share of shadow conversations at the time of the random draw. Present only for the request in
       * which the conversation became a shadow conversation.
       */
      shadowShare: z.number().optional(),
      unlearned: unlearnedCandidates.optional(),
    })
    .nullable(),
  compressionSteps: z.array(z.object({ step: z.string(), tokensBefore: count, tokensAfter: count })),
  /**
   * How the gateway compressed the conversation. Null if the conversation had nothing to compress. Gateways
   * from the previous release omit `context`.
   */
  context: z
    .object({
      /** Identifies the conversation in which the listed markers are valid. */
      session: sha256Hex,
      decision: contextDecision,
      /**
       * `savedUsd` is the price of the saved tokens. `rewrittenUsd` is the cost of rewriting the prompt
       * cache. Both amounts are null if the prices are unknown.
       */
      savedUsd: z.number().nullable(),
      rewrittenUsd: z.number().nullable(),
      /** Marker ids of the newest omitted texts (at most 64). */
      markers: z.array(markerId),
      /** Ids of the newest compressed blocks in this request (at most 64). */
      blocks: z.array(blockId),
    })
    .nullable()
    .default(null),
  calledTools: z.array(z.string()),
  /** Pruned tools requested with the recovery tool. Gateways without recovery omit `recoveredTools`. */
  recoveredTools: z.array(z.string()).default([]),
  /**
   * Denied tools that the model called. The gateway does not forward calls to denied tools to the client.
   * Gateways from releases without deny lists omit `deniedTools`.
   */
  deniedTools: z.array(z.string()).max(64).default([]),
  /** The number of recovery rounds, which are provider calls that are hidden from the client. */
  hiddenRounds: count.default(0),
  /** Tokens used by recovery rounds. Gateways from the previous release omit `recoveryTokens`. */
  recoveryTokens: count.default(0),
  /**
   * Parts of the request that the provider's format cannot express (losses). Gateways that do not translate
   * requests omit `losses`.
   */
  losses: z.array(z.object({ field: z.string(), reason: z.string() })).default([]),
  /**
   * The model choice. Null if the client specified the model. Gateways without model routing omit
   * `modelChoice`.
   */
  modelChoice: modelChoiceRecord.nullable().default(null),
  usage: z
    .object({
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: count,
      cacheWriteTokens: count,
      estimated: z.boolean(),
    })
    .nullable(),
  costUsd: z.number().nullable(),
  /**
   * Net savings from pruning and compression, in USD. Negative if pruning and compression cost more than they
   * saved. Gateways from the previous release omit `providerSavingsUsd`.
   */
  providerSavingsUsd: z.number().nullable().default(null),
  /**
   * Gross savings in USD, before costs (cache rewrites, recovery rounds) are subtracted. Gateways from the
   * previous release omit `grossSavingsUsd`.
   */
  grossSavingsUsd: z.number().nullable().default(null),
  /**
   * Hashes for comparing the prompts of a conversation. Null if no part of the prompt could be cached.
   * Gateways from the previous release omit `prompt`.
   */
  prompt: requestPrompt.nullable().default(null),
  ms: z.object({
    total: z.number(),
    firstByte: z.number().nullable(),
    overhead: z.number().nullable(),
    auth: z.number().nullable(),
    plan: z.number().nullable(),
    upstream: z.number().nullable(),
  }),
});
export type RequestEventV1 = z.infer<typeof requestEventV1>;

/**
 * A ranked tool in the compact form for sending and storing. The score is rounded to four decimals.
 * `forwarded` is 1 if the tool was forwarded. `alwaysIn` is the reason if the tool is always included.
 */
export type CandidateTuple = readonly [
  name: string,
  score: number,
  rank: number,
  forwarded: 0 | 1,
  alwaysIn?: string,
];

function isCandidateTuple(value: unknown): value is CandidateTuple {
  if (!Array.isArray(value)) return false;
  const [name, score, rank, forwarded, alwaysIn] = value as unknown[];
  return (
    typeof name === 'string' &&
    Number.isFinite(score) &&
    Number.isSafeInteger(rank) &&
    (forwarded === 0 || forwarded === 1) &&
    (alwaysIn === undefined || typeof alwaysIn === 'string')
  );
}

/**
 * Handwritten code validates ranked tools. A tuple schema would take 100 µs per hundred ranked tools, which
 * is most of the worker's time for an event.
 */
export const candidateTuples = z.custom<readonly CandidateTuple[]>(
  (value) => Array.isArray(value) && value.every(isCandidateTuple),
  'must be a list of [name, score, rank, 0 or 1, why always in]',
);

/**
 * The format of request events between the gateway's spool and the request log. Ranked tools account for most
 * of an event's size. 100 ranked tools take up 3.8 kB as tuples and 9.9 kB as objects.
 */
export const shippedRequestEventV1 = requestEventV1.extend({
  plan: requestEventV1.shape.plan.unwrap().extend({ candidates: candidateTuples }).nullable(),
});
export type ShippedRequestEventV1 = z.infer<typeof shippedRequestEventV1>;

export function renderShippedEvent(event: RequestEventV1): ShippedRequestEventV1 {
  const { plan, ...rest } = event;
  return { ...rest, plan: plan && { ...plan, candidates: plan.candidates.map(renderCandidate) } };
}

function renderCandidate(
  candidate: NonNullable<RequestEventV1['plan']>['candidates'][number],
): CandidateTuple {
  const { name, rank, forwarded, alwaysIn } = candidate;
  const score = Math.round(candidate.score * 10_000) / 10_000;
  return alwaysIn === null
    ? [name, score, rank, forwarded ? 1 : 0]
    : [name, score, rank, forwarded ? 1 : 0, alwaysIn];
}
