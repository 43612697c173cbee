import type { ToolHealth, listToolHealth as listToolHealthContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { readAssessments, type ToolAssessment } from '../../assess-tools/assess-tools.ts';
import { pageOf, queryToolDays } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { asInstant } from '../usage/usage-columns.ts';
import type { DescriptionIssue } from '../../assess-tools/score-description.ts';

/** The name under which `tool_days` counts the requests. */
const sql = `
  , tools AS (
    SELECT tool AS name,
      sum(offered)::float8 AS offered,
      sum(forwarded)::float8 AS forwarded,
      sum(called)::float8 AS called,
      sum(called_when_pruned)::float8 AS called_when_pruned,
      sum(denied)::float8 AS called_when_denied,
      (sum(rank_sum) / nullif(sum(ranked_calls), 0))::float8 AS mean_rank_when_called,
      ${asInstant('max(last_seen_at)')} AS last_seen_at
    FROM used WHERE tool <> '' GROUP BY tool
  )
  SELECT (SELECT coalesce(sum(offered), 0) FROM used WHERE tool = '')::float8 AS considered,
    ${pageOf('tools', 'offered DESC, name')}`;

interface ToolRow extends Omit<ToolHealth['stats'], 'call_through_rate'> {
  readonly name: string;
  readonly last_seen_at: string;
}

interface ToolPage {
  readonly total: number;
  readonly considered: number;
  readonly tools: readonly ToolRow[];
}

/** Lists how each tool was used in an account's requests, starting with the most frequently offered tool. */
export async function listToolHealth(
  database: TelemetryDatabase,
  request: ParsedRequestOf<typeof listToolHealthContract>,
): Promise<ReplyOf<typeof listToolHealthContract>> {
  const { total, considered, tools } = await queryToolDays<ToolPage>(database, request, sql);
  const names = tools.map(({ name }) => name);
  const assessments = await readAssessments(database, request.accountId, names);
  return {
    total,
    requestsConsidered: considered,
    tools: tools.map((tool) => renderTool(tool, assessments.get(tool.name))),
  };
}

function renderTool(row: ToolRow, assessment: ToolAssessment | undefined): ToolHealth {
  const { name, last_seen_at, ...counts } = row;
  const calledWhenForwarded = counts.called - counts.called_when_pruned;
  const call_through_rate = counts.forwarded === 0 ? null : calledWhenForwarded / counts.forwarded;
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

/** Minimum number of requests for a rating of a tool. A rating from fewer requests would not be reliable. */
const forwardedMin = 50;
const calledMin = 5;
/** Up to this mean rank, the description of a called tool counts as good. */
const rankMax = 10;

/** Rates a tool's description by how the tool is used. */
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
