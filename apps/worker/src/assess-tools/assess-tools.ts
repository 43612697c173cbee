import type { assessTools as assessToolsContract } from '@gateway/contracts';
import { runAtOnce, runInPieces, type ParsedRequestOf, type Pieces, type ReplyOf } from '@gateway/messaging';
import { z } from 'zod';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';
import { analyzeTool, type AssessedTool, type OfferedTool } from './assessed-tool.ts';
import type { Meanings, ReadMeanings } from './meanings.ts';
import { findNearDuplicates, type NearDuplicate } from './find-near-duplicates.ts';
import { scoreDescription, type DescriptionIssue } from './score-description.ts';
import { suggestWording, type SuggestedWording } from './suggest-wording.ts';

/** The stored assessment of a tool definition. */
export interface ToolAssessment {
  readonly name: string;
  /** Score of the tool definition, from 0 to 100. */
  readonly score: number;
  readonly issues: readonly DescriptionIssue[];
  readonly near: readonly NearDuplicate[];
  readonly wordings: readonly SuggestedWording[];
}

/** Assesses all tools in a tool list together, because similarity depends on the other tools in the list. */
export function assessList(
  tools: readonly OfferedTool[],
  meanings: Meanings | null = null,
): ToolAssessment[] {
  return runAtOnce(assessInPieces(tools, meanings));
}

function* assessInPieces(tools: readonly OfferedTool[], meanings: Meanings | null): Pieces<ToolAssessment[]> {
  const byName = new Map<string, AssessedTool>();
  for (const tool of tools) {
    byName.set(tool.name, analyzeTool(tool));
    yield;
  }
  const nearByName = yield* findNearDuplicates([...byName.values()], meanings);
  const assessed: ToolAssessment[] = [];
  for (const tool of byName.values()) {
    const near = nearByName.get(tool.name) ?? [];
    const wordings = near.flatMap(({ name }) => {
      const neighbour = byName.get(name);
      const wording = neighbour === undefined ? null : suggestWording(tool, neighbour);
      return wording === null ? [] : [wording];
    });
    assessed.push({ name: tool.name, ...scoreDescription(tool, near), near, wordings });
    yield;
  }
  return assessed;
}

/**
 * An assessment pauses between its steps, so that queries from other accounts can run. An assessment of the
 * longest tool lists takes seconds.
 */
const pieceMs = 5;

/**
 * Maximum number of assessments stored per account. Assessments of tools that have not been offered for the longest
 * time are deleted first.
 */
const toolsMax = 5_000;

/**
 * Number of rows that one SQL statement writes. Prisma blocks the event loop while it prepares an SQL
 * statement.
 */
const rowsAtOnce = 50;

/**
 * Assesses an account's tool list and stores the result. The worker does not store the tool definitions
 * themselves.
 */
export async function assessTools(
  database: TelemetryDatabase,
  { accountId, tools }: ParsedRequestOf<typeof assessToolsContract>,
  readMeanings: ReadMeanings,
): Promise<ReplyOf<typeof assessToolsContract>> {
  const models = database.forAccount(accountId);
  const assessed = await runInPieces(assessInPieces(tools, await readMeanings(tools)), pieceMs);
  for (let from = 0; from < assessed.length; from += rowsAtOnce) {
    const rows = assessed
      .slice(from, from + rowsAtOnce)
      .map((each) => ({ ...renderRow(each), assessedAt: new Date(), accountId }));
    await models.toolAssessment.deleteMany({ where: { name: { in: rows.map(({ name }) => name) } } });
    await models.toolAssessment.createMany({ data: rows, skipDuplicates: true });
  }
  // The check follows the write, so that a deletion after the check finds the written rows.
  if ((await models.forgottenAccount.count()) > 0) await models.toolAssessment.deleteMany({});
  await deleteOldest(database, accountId);
  return { assessed: assessed.length };
}

/**
 * Replaces text that Postgres rejects. Tool and parameter names can contain NUL characters and lone
 * surrogates.
 */
function renderRow({ name, score, issues, near, wordings }: ToolAssessment) {
  return {
    name: storable(name),
    score,
    issues: storableAll(issues),
    near: storableAll(near),
    wordings: storableAll(wordings),
  };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

function storableAll(values: readonly object[]): object {
  return JSON.parse(JSON.stringify(values), (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  ) as object;
}

async function deleteOldest(database: TelemetryDatabase, accountId: string): Promise<void> {
  const { toolAssessment } = database.forAccount(accountId);
  const oldest = await toolAssessment.findMany({
    select: { assessedAt: true },
    orderBy: { assessedAt: 'desc' },
    skip: toolsMax,
    take: 1,
  });
  if (oldest[0] !== undefined)
    await toolAssessment.deleteMany({ where: { assessedAt: { lte: oldest[0].assessedAt } } });
}

const storedAssessment = z.object({
  name: z.string(),
  score: z.number(),
  issues: z.array(
    z.object({ code: z.string(), points: z.number(), text: z.string(), suggestion: z.string() }),
  ),
  near: z.array(z.object({ name: z.string(), similarity: z.number() })),
  wordings: z.array(
    z.object({ collidesWith: z.string(), description: z.string(), examples: z.array(z.string()) }),
  ),
});

/** Reads the stored assessments for the given tools, by tool name. */
export async function readAssessments(
  database: TelemetryDatabase,
  accountId: string,
  names: readonly string[],
): Promise<Map<string, ToolAssessment>> {
  const rows = await database.forAccount(accountId).toolAssessment.findMany({
    where: { name: { in: [...new Set(names)] } },
  });
  return new Map(rows.map((row) => [row.name, storedAssessment.parse(row)]));
}
