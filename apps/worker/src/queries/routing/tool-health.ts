import type { ToolHealth, listToolHealth as listToolHealthContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readAssessments, type ToolAssessment } from '../../assess-tools/assess-tools.ts';
import { pageOf, queryAccountPage } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { asInstant } from '../usage/usage-columns.ts';
import type { DescriptionIssue } from '../../assess-tools/score-description.ts';

/**
 * Expanding the candidates is the main cost: 1,000 requests with 118 tools each took 1.5 s on a shared core.
 */
const requestsMax = 1_000;

const sql = `
  , decisions AS MATERIALIZED (
    SELECT id, created_at, candidates, called_tools, tools_out = tools_in AS is_whole
    FROM own WHERE routing IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT ${requestsMax}
  ), offers AS (
    SELECT candidate ->> 0 AS name, created_at,
      min((candidate ->> 2)::int) AS rank,
      bool_or(is_whole OR candidate ->> 3 = '1') AS forwarded,
      bool_or(candidate ->> 0 = ANY (called_tools)) AS called
    FROM decisions CROSS JOIN LATERAL jsonb_array_elements(candidates) AS candidate
    GROUP BY id, created_at, name
  ), denials AS (
    SELECT name, count(*) AS denied, max(created_at) AS denied_at
    FROM (
      SELECT created_at, denied_tools FROM own WHERE cardinality(denied_tools) > 0
      ORDER BY created_at DESC, id DESC LIMIT ${requestsMax}
    ) AS newest CROSS JOIN LATERAL unnest(denied_tools) AS name
    GROUP BY name
  ), used AS (
    SELECT name,
      count(*) AS offered,
      count(*) FILTER (WHERE forwarded) AS forwarded,
      count(*) FILTER (WHERE called) AS called,
      count(*) FILTER (WHERE called AND NOT forwarded) AS called_when_pruned,
      count(*) FILTER (WHERE called AND forwarded) AS called_when_forwarded,
      (avg(rank) FILTER (WHERE called))::float8 AS mean_rank_when_called,
      max(created_at) AS used_at
    FROM offers GROUP BY name
  ), tools AS (
    SELECT name,
      coalesce(offered, 0) AS offered,
      coalesce(forwarded, 0) AS forwarded,
      coalesce(called, 0) AS called,
      coalesce(called_when_pruned, 0) AS called_when_pruned,
      coalesce(called_when_forwarded, 0) AS called_when_forwarded,
      coalesce(denied, 0) AS called_when_denied,
      mean_rank_when_called,
      ${asInstant('greatest(used_at, denied_at)')} AS last_seen_at
    FROM used FULL JOIN denials USING (name)
  )
  SELECT (SELECT count(*) FROM decisions)::float8 AS considered, ${pageOf('tools', 'offered DESC, name')}`;

interface ToolRow extends Omit<ToolHealth['stats'], 'call_through_rate'> {
  readonly name: string;
  readonly called_when_forwarded: number;
  readonly last_seen_at: string;
}

/** Lists how each tool was used in an account's newest requests, most offered first. */
export async function listToolHealth(
  database: TelemetryDatabase,
  request: ParsedRequestOf<typeof listToolHealthContract>,
): Promise<ReplyOf<typeof listToolHealthContract>> {
  const { total, considered, tools } = await queryAccountPage<{
    total: number;
    considered: number;
    tools: ToolRow[];
  }>(database, request, sql);
  const names = tools.map(({ name }) => name);
  const assessments = await readAssessments(database, request.accountId, names);
  return {
    total,
    requestsConsidered: considered,
    tools: tools.map((tool) => renderTool(tool, assessments.get(tool.name))),
  };
}

function renderTool(row: ToolRow, assessment: ToolAssessment | undefined): ToolHealth {
  const { name, last_seen_at, called_when_forwarded, ...counts } = row;
  const call_through_rate = counts.forwarded === 0 ? null : called_when_forwarded / counts.forwarded;
  const stats = { ...counts, call_through_rate };
  const issues = [...(assessment?.issues ?? []), ...judgeUse(stats)].sort(
    (one, other) => other.points - one.points,
  );
  const lost = issues.reduce((sum, { points }) => sum + points, 0);
  return {
    object: 'tool_health',
    name,
    description_score: assessment === undefined ? null : Math.max(0, 100 - lost),
    issues: issues.map(({ code, points, text }) => ({ code, points, text })),
    suggestions: issues.map(({ suggestion }) => suggestion),
    near_duplicates: [...(assessment?.near ?? [])],
    stats,
    last_seen_at,
  };
}

/** With fewer requests, the result would not be reliable. */
const forwardedMin = 50;
const calledMin = 5;
/** A called tool is expected to be among this many top ranks. */
const rankMax = 10;

/** Judges a tool's description by how the tool is used. */
function judgeUse(stats: ToolHealth['stats']): DescriptionIssue[] {
  const issues: DescriptionIssue[] = [];
  if (stats.called === 0 && stats.forwarded >= forwardedMin) {
    issues.push({
      code: 'never_called',
      points: 5,
      text: `The tool was forwarded ${stats.forwarded} times and never called.`,
      suggestion: 'Remove it from lists that do not need it, or describe better when to use it.',
    });
  }
  const rank = stats.mean_rank_when_called;
  if (rank !== null && stats.called >= calledMin && rank > rankMax) {
    issues.push({
      code: 'ranked_low_when_called',
      points: Math.min(15, Math.ceil(rank / 5)),
      text: `When the tool was called, its mean rank was ${Math.round(rank)}.`,
      suggestion: 'Use the words of your users in the description, or add examples in x-svc-examples.',
    });
  }
  return issues;
}
