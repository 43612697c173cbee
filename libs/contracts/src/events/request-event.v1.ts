import { z } from 'zod';
import { count, id, sha256Hex, timestamp } from '../base/common.ts';
import { routingMode } from '../api/routing-preferences.ts';
import { contextDecision, requestStatus } from '../api/request-log.ts';
import { blockId, markerId } from '../rpc/compression.v1.ts';

/** How the model of a request was chosen, where the client left that to the gateway (`svc/auto`, …). */
export const modelChoiceRecord = z.object({
  mode: routingMode,
  /** In one word: `complexity_high`, `cheapest`, `session`, … */
  reason: z.string().max(64),
  /** 0 to 1: how much the request asks for. */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /** The best sixteen, in the order of the choice. */
  candidates: z.array(
    z.object({
      /** `<provider>/<model>` */
      id: z.string().max(320),
      /** By which they are in order: USD, milliseconds, or quality times recall, as the mode has it. Null: not known. */
      score: z.number().nullable(),
      quality: z.number(),
      costUsd: z.number().nullable(),
    }),
  ),
  candidatesCount: count,
  /** Whom a rule left out, 64 at most. */
  excluded: z.array(z.object({ id: z.string().max(320), rule: z.string().max(64) })),
  excludedCount: count,
});
export type ModelChoiceRecord = z.infer<typeof modelChoiceRecord>;

/** What is known when a request is accepted, written to the spool before anything is forwarded. */
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

/** How an accepted request ended: exactly one of these for each, whatever happened. Never holds content or secrets. */
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
  /** Tools after allow and deny lists. */
  toolsIn: count,
  toolsOut: count,
  plan: z
    .object({
      intent: z.string().nullable(),
      method: z.enum(['semantic', 'keyword']).nullable(),
      k: z.int().nullable(),
      /** With `shadow` every tool went out, and `forwarded` of a candidate says what the plan would have sent. */
      kReason: z.string(),
      policyVersion: z.string().nullable(),
      /** Why a plan was dropped for the identity plan, if it was. */
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
      // The fields from here on are new: edges of the release before do not send them yet.
      /** `bucketOf` of the session: by the intent of its first turn. */
      bucket: z.string().max(64).nullable().optional(),
      /** Names the session within its account, by its header or else by its first turn: the unit of what is measured. */
      sessionKey: z.string().max(64).nullable().optional(),
      /** How what was left out stayed reachable; null: not at all. */
      recovery: z.enum(['in_place', 'regrown']).nullable().optional(),
      /** The provider's own way that took the place of leaving tools out; null: none. */
      native: z.enum(['deferred', 'allowed']).nullable().optional(),
      /** What leaving tools out is worth over the session that is expected, in tokens at the plain input price. */
      worth: z.object({ saved: z.number(), spent: z.number() }).nullable().optional(),
    })
    .nullable(),
  compressionSteps: z.array(z.object({ step: z.string(), tokensBefore: count, tokensAfter: count })),
  /** How the conversation went out; null where nothing of it could be compressed. Absent in events of edges before. */
  context: z
    .object({
      /** In which its markers mean something. */
      session: sha256Hex,
      decision: contextDecision,
      /** Tokens saved × price, and what is written to the prompt cache once more; null: no prices are known. */
      savedUsd: z.number().nullable(),
      rewrittenUsd: z.number().nullable(),
      /** Of what was left out: the newest 64. */
      markers: z.array(markerId),
      /** Blocks that were compressed when they came with this request: the newest 64. */
      blocks: z.array(blockId),
    })
    .nullable()
    .default(null),
  calledTools: z.array(z.string()),
  /** Tools that had been left out and that the model asked for by the stand-in tool. Absent in events of edges without it. */
  recoveredTools: z.array(z.string()).default([]),
  /** Rounds that the client did not see, in which the gateway answered the model itself. */
  hiddenRounds: count.default(0),
  /** What the provider's format could not carry. Absent in events of edges that did not translate yet. */
  losses: z.array(z.object({ field: z.string(), reason: z.string() })).default([]),
  /** How the model was chosen; null where the client named it. Absent in events of edges that did not choose yet. */
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
  /** What leaving out and compressing saved of the bill; negative where it cost more. Absent in events of the release before. */
  providerSavingsUsd: z.number().nullable().default(null),
  /** The same before what it cost: caches written once more, hidden rounds. Absent in events of the release before. */
  grossSavingsUsd: z.number().nullable().default(null),
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

/** A candidate as it is shipped and kept: name, score to four decimals, rank, 1 if forwarded, and why it is always in. */
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

/** Looked at by hand: a schema of tuples takes 100 µs for a hundred of them, which would be most of what the worker does. */
export const candidateTuples = z.custom<readonly CandidateTuple[]>(
  (value) => Array.isArray(value) && value.every(isCandidateTuple),
  'must be a list of [name, score, rank, 0 or 1, why always in]',
);

/**
 * The event between the gateway's spool and the request log. Candidates are most of an event's bytes: as tuples a
 * hundred of them take 3.8 kB instead of 9.9.
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
