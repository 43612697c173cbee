import {
  cacheMiss,
  candidateTuples,
  requestEventV1,
  unlearnedCandidates,
  type RequestDetail,
  type RequestLogEntry,
} from '@gateway/contracts';
import { z } from 'zod';
import type { RequestLogRecord } from '../../persistence/telemetry-database.ts';

/** The columns of a row in the request list. Columns that only the detail view shows are excluded. */
export const entryFields = {
  omit: {
    candidates: true,
    unlearned: true,
    compressionSteps: true,
    context: true,
    modelChoice: true,
    losses: true,
    calledTools: true,
    errorMessage: true,
    prompt: true,
  },
} as const;
export type RequestLogLine = Omit<RequestLogRecord, keyof typeof entryFields.omit>;

const storedCandidates = candidateTuples.nullable();
const storedLosses = z.array(z.object({ field: z.string(), reason: z.string() })).nullable();
export const storedContext = requestEventV1.shape.context;
const storedChoice = requestEventV1.shape.modelChoice;
const storedSteps = z.array(z.tuple([z.string(), z.number(), z.number()])).nullable();

export function renderEntry(row: RequestLogLine): RequestLogEntry {
  return {
    id: row.id,
    object: 'request',
    created_at: row.createdAt.toISOString(),
    session_id: row.sessionId,
    client_request_id: row.clientRequestId,
    key_id: row.keyId,
    endpoint: row.endpoint,
    format: row.format,
    provider: row.provider,
    model: row.model,
    requested_model: row.requestedModel,
    stream: row.stream,
    status: row.status as RequestLogEntry['status'],
    http_status: row.httpStatus,
    error_code: row.errorCode,
    ...renderRouting(row),
    ...renderFigures(row),
    trace_id: row.traceId,
  };
}

function renderRouting(row: RequestLogLine) {
  return {
    intent: row.intent,
    tools_offered: row.toolsOffered,
    tools_in: row.toolsIn,
    tools_out: row.toolsOut,
    tools_pruned: row.toolsPruned,
    routing: row.routing as RequestLogEntry['routing'],
    k: row.k,
    k_reason: row.kReason,
  };
}

function renderFigures(row: RequestLogLine) {
  const [prompt, completion] = [asNumber(row.promptTokens), asNumber(row.completionTokens)];
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt === null || completion === null ? null : prompt + completion,
    cached_tokens: asNumber(row.cachedTokens),
    cache_write_tokens: asNumber(row.cacheWriteTokens),
    cache_miss: renderMiss(row),
    usage_estimated: row.usageEstimated,
    ...renderSavings(row),
    cost_usd: row.costUsd?.toNumber() ?? null,
    provider_savings_usd: row.providerSavingsUsd?.toNumber() ?? null,
    gross_savings_usd: row.grossSavingsUsd?.toNumber() ?? null,
    ms: {
      total: row.msTotal,
      first_byte: row.msFirstByte,
      overhead: row.msOverhead,
      auth: row.msAuth,
      plan: row.msPlan,
      upstream: row.msUpstream,
    },
  };
}

function renderMiss(row: RequestLogLine): RequestLogEntry['cache_miss'] {
  if (row.cacheMissCause === null) return null;
  return cacheMiss.parse({
    cause: row.cacheMissCause,
    detail: row.cacheMissDetail,
    tokens: Number(row.cacheMissTokens),
    usd: row.cacheMissUsd?.toNumber() ?? null,
  });
}

function renderSavings(row: RequestLogLine) {
  const [tools, compression] = [Number(row.estimatedTokensSaved), Number(row.compressionTokensSaved)];
  const recovery = Number(row.recoveryTokensDeducted);
  return {
    tool_tokens_saved: asNumber(row.toolTokensSaved),
    estimated_tokens_saved: tools,
    compression_tokens_saved: compression,
    recovery_tokens: Number(row.recoveryTokens),
    recovery_tokens_deducted: recovery,
    net_tokens_saved: tools + compression - recovery,
  };
}

export function renderDetail(row: RequestLogRecord): RequestDetail {
  const trace = renderTrace(row);
  const forwarded = trace.candidates.filter((candidate) => candidate.forwarded).map(({ name }) => name);
  // All offered tools were forwarded if the row has no list of candidates, or if no tool was pruned.
  const pruned = trace.candidates.length > 0 && (row.toolsPruned ?? row.toolsIn - row.toolsOut) > 0;
  const needed = [...new Set([...row.calledTools, ...row.recoveredTools])];
  const missed = pruned ? needed.filter((name) => !forwarded.includes(name)) : [];
  return {
    ...renderEntry(row),
    lane: row.lane as RequestDetail['lane'],
    plan_defect: row.planDefect,
    trace,
    forwarded_tools: forwarded,
    called_tools: row.calledTools,
    recovered_tools: row.recoveredTools,
    denied_tools: row.deniedTools,
    missed_tools: missed,
    losses: storedLosses.parse(row.losses) ?? [],
    compression_steps: (storedSteps.parse(row.compressionSteps) ?? []).map(([step, before, after]) => ({
      step,
      tokens_before: before,
      tokens_after: after,
    })),
    compression: renderCompression(row),
    model_choice: renderChoice(row),
    provider_request_id: row.providerRequestId,
    error_message: row.errorMessage,
    // A separate query returns the request's content, because the content is stored separately.
    content: null,
  };
}

function renderCompression(row: RequestLogRecord): RequestDetail['compression'] {
  const context = storedContext.parse(row.context);
  return (
    context && {
      decision: context.decision,
      saved_usd: context.savedUsd,
      rewritten_usd: context.rewrittenUsd,
      exact: null,
      omissions: context.markers.map((marker) => ({ marker, original: null })),
    }
  );
}

function renderChoice(row: RequestLogRecord): RequestDetail['model_choice'] {
  const choice = storedChoice.parse(row.modelChoice);
  if (choice === null) return null;
  const { candidates, candidatesCount, excludedCount, ...rest } = choice;
  return {
    ...rest,
    candidates: candidates.map(({ id, score, quality, costUsd }) => ({
      id,
      score,
      quality,
      cost_usd: costUsd,
    })),
    candidates_count: candidatesCount,
    excluded_count: excludedCount,
  };
}

/** The columns needed for a routing trace. */
export const traceFields = {
  select: {
    id: true,
    createdAt: true,
    intent: true,
    k: true,
    kReason: true,
    routing: true,
    policyVersion: true,
    bucket: true,
    candidates: true,
    unlearned: true,
    calledTools: true,
    modelChoice: true,
  },
} as const;

/** Maximum number of candidates shown in the trace of a model choice. */
const tracedCandidates = 3;

function renderShortChoice(stored: RequestLogRecord['modelChoice']): RequestDetail['trace']['model_choice'] {
  const choice = storedChoice.parse(stored);
  if (choice === null) return null;
  const { mode, reason, complexity, level, candidates } = choice;
  return {
    mode,
    reason,
    complexity,
    level,
    candidates: candidates.slice(0, tracedCandidates).map(({ id }) => id),
  };
}

type TraceRow = Pick<RequestLogRecord, keyof typeof traceFields.select>;
export function renderTrace(row: TraceRow): RequestDetail['trace'] {
  return {
    request_id: row.id,
    created_at: row.createdAt.toISOString(),
    intent: row.intent,
    k: row.k,
    k_reason: row.kReason,
    method: row.routing as RequestDetail['trace']['method'],
    candidates: renderCandidates(row),
    toolset_version: row.policyVersion,
    bucket: row.bucket,
    model_choice: renderShortChoice(row.modelChoice),
  };
}

function renderCandidates(row: TraceRow): RequestDetail['trace']['candidates'] {
  const [called, isShadow] = [new Set(row.calledTools), row.kReason === 'shadow'];
  const unlearned = unlearnedCandidates.nullable().parse(row.unlearned)?.map(renderLearning);
  return (storedCandidates.parse(row.candidates) ?? []).map(
    ([name, score, rank, forwarded, alwaysIn], at) => ({
      ...{ name, score, rank, forwarded: isShadow || forwarded === 1, planned: forwarded === 1 },
      ...{ called: called.has(name), always_in: alwaysIn ?? null, learning: unlearned?.[at] ?? null },
    }),
  );
}

function renderLearning([score, rank, ...shares]: z.infer<typeof unlearnedCandidates>[number]) {
  const [log_probability = 0, by_rank = 0, usage = 0, together = 0, transition = 0] = shares;
  const parts = { log_probability, rank: by_rank, usage, together, transition };
  return { score_without: score, rank_without: rank, shares: shares.length === 0 ? null : parts };
}

function asNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
