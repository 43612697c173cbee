import type { listToolSuggestions as listToolSuggestionsContract, ToolSuggestion } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { readAssessments, type ToolAssessment } from '../../assess-tools/assess-tools.ts';

/**
 * Maximum number of routing decisions that are read. More decisions would make the query slow, because
 * unpacking the ranked tools of the decisions takes most of the query time.
 */
const requestsMax = 1_000;
/**
 * Minimum number of decisions in which another tool ranked higher than the called tool. A suggestion from
 * only one or two decisions would not be reliable.
 */
const collisionsMin = 3;
/**
 * Minimum share of a tool's calls in which another tool ranked higher. If the share is lower, the other tool is
 * relevant to many requests, but not easily confused with the called tool.
 */
const shareMin = 0.2;
/**
 * Maximum rank of a called tool. Calls to tools with a worse rank than the maximum are ignored, because
 * many unrelated tools rank above such tools.
 */
const rivalsMax = 20;

/**
 * SQL that finds hard negatives. Hard negatives are tools that ranked higher than a called tool, but were not called.
 * Ranks are taken from the routing decisions. The column `mean_rank_after` is the mean rank of the called tool if the
 * higher-ranked tool is removed. The column `recalled` counts the decisions in which the called tool would be
 * forwarded if the higher-ranked tool were removed.
 */
const sql = `
  , decisions AS MATERIALIZED (
    SELECT id, candidates, called_tools, intent, k, created_at FROM own
    WHERE routing IS NOT NULL AND cardinality(called_tools) > 0 ORDER BY created_at DESC, id DESC LIMIT ${requestsMax}
  ), entries AS MATERIALIZED (
    SELECT id, intent, k, candidate ->> 0 AS name, (candidate ->> 2)::int AS rank, candidate ->> 3 = '1' AS forwarded,
      candidate ->> 0 = ANY (called_tools) AS called
    FROM decisions CROSS JOIN LATERAL jsonb_array_elements(candidates) AS candidate
  ), calls AS (
    SELECT id, intent, k, name, min(rank) AS rank, bool_or(forwarded) AS forwarded
    FROM entries WHERE called GROUP BY id, intent, k, name
  ), totals AS (
    SELECT name, count(*) AS calls FROM calls GROUP BY name
  ), pairs AS (
    SELECT calls.name AS tool, entries.name AS collides_with,
      count(*)::float8 AS ranked_below,
      (count(*) FILTER (WHERE NOT calls.forwarded))::float8 AS left_out,
      avg(calls.rank)::float8 AS mean_rank_before,
      avg(greatest(1, calls.rank - 1))::float8 AS mean_rank_after,
      (count(*) FILTER (WHERE NOT calls.forwarded AND calls.rank - 1 <= calls.k))::float8 AS recalled,
      array_agg(calls.intent) FILTER (WHERE calls.intent IS NOT NULL) AS intents
    FROM calls JOIN entries ON entries.id = calls.id AND entries.rank < calls.rank AND NOT entries.called
    WHERE calls.rank <= ${rivalsMax}
    GROUP BY tool, collides_with
  )
  SELECT pairs.*, calls::float8 AS calls, (SELECT count(*) FROM decisions)::float8 AS considered
  FROM pairs JOIN totals ON totals.name = pairs.tool
  WHERE ranked_below >= ${collisionsMin} AND ranked_below >= ${shareMin} * calls
  ORDER BY ranked_below DESC, tool, collides_with LIMIT 2000`;

interface PairRow {
  readonly tool: string;
  readonly collides_with: string;
  readonly ranked_below: number;
  readonly left_out: number;
  readonly mean_rank_before: number;
  readonly mean_rank_after: number;
  readonly recalled: number;
  readonly intents: readonly string[] | null;
  readonly calls: number;
  readonly considered: number;
}

/**
 * Lists pairs of tools that are easily confused, with a suggested wording that distinguishes the two tools.
 */
export async function listToolSuggestions(
  database: TelemetryDatabase,
  { limit, offset, ...span }: ParsedRequestOf<typeof listToolSuggestionsContract>,
): Promise<ReplyOf<typeof listToolSuggestionsContract>> {
  const pairs = await queryAccountLog<PairRow>(database, span, sql);
  const names = pairs.flatMap(({ tool, collides_with }) => [tool, collides_with]);
  const assessments = await readAssessments(database, span.accountId, names);
  const suggestions = pairs
    .map((pair) => renderSuggestion(pair, assessments.get(pair.tool)))
    .filter(isActionable);
  return {
    total: suggestions.length,
    requestsConsidered: pairs[0]?.considered ?? 0,
    suggestions: suggestions.slice(offset, offset + limit),
  };
}

/** Whether better wording can help the model. Better wording does not help if the two tools are dissimilar. */
function isActionable({ evidence, suggested_description }: ToolSuggestion): boolean {
  return evidence.similarity !== null || suggested_description !== null;
}

function renderSuggestion(pair: PairRow, assessment: ToolAssessment | undefined): ToolSuggestion {
  const near = assessment?.near.find(({ name }) => name === pair.collides_with);
  const wording = assessment?.wordings.find(({ collidesWith }) => collidesWith === pair.collides_with);
  return {
    object: 'tool_suggestion',
    tool: pair.tool,
    collides_with: pair.collides_with,
    evidence: {
      calls: pair.calls,
      ranked_below: pair.ranked_below,
      left_out: pair.left_out,
      intents: rankByCount(pair.intents ?? []),
      similarity: near?.similarity ?? null,
    },
    suggested_description: wording?.description ?? null,
    suggested_examples: [...(wording?.examples ?? [])],
    expected_gain: {
      decisions: pair.ranked_below,
      mean_rank_before: pair.mean_rank_before,
      mean_rank_after: pair.mean_rank_after,
      recalled: pair.recalled,
    },
  };
}

function rankByCount(words: readonly string[]): string[] {
  const counts = Map.groupBy(words, (word) => word);
  return [...counts].sort(([, one], [, other]) => other.length - one.length).map(([word]) => word);
}
