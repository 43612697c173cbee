import type { assessTools as assessToolsContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { z } from 'zod';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';
import type { OfferedTool } from './assessed-tool.ts';
import { takeApart } from './assessed-tool.ts';
import type { Meanings, ReadMeanings } from './meanings.ts';
import type { NearDuplicate } from './find-near-duplicates.ts';
import { findNearDuplicates } from './find-near-duplicates.ts';
import type { DescriptionIssue } from './score-description.ts';
import { scoreDescription } from './score-description.ts';
import type { SuggestedWording } from './suggest-wording.ts';
import { suggestWording } from './suggest-wording.ts';

/** What is kept of a definition. */
export interface ToolAssessment {
  readonly name: string;
  /** 0 to 100. */
  readonly score: number;
  readonly issues: readonly DescriptionIssue[];
  readonly near: readonly NearDuplicate[];
  readonly wordings: readonly SuggestedWording[];
}

/** Assesses the tools of one list together: how alike they are depends on the others. */
export function assessList(
  tools: readonly OfferedTool[],
  meanings: Meanings | null = null,
): ToolAssessment[] {
  const apart = [...new Map(tools.map((tool) => [tool.name, takeApart(tool)])).values()];
  const byName = new Map(apart.map((tool) => [tool.name, tool]));
  const nearByName = findNearDuplicates(apart, meanings);
  return apart.map((tool) => {
    const near = nearByName.get(tool.name) ?? [];
    const wordings = near.flatMap(({ name }) => {
      const neighbour = byName.get(name);
      const wording = neighbour === undefined ? null : suggestWording(tool, neighbour);
      return wording === null ? [] : [wording];
    });
    return { name: tool.name, ...scoreDescription(tool, near), near, wordings };
  });
}

/** Tools of an account whose assessments are kept; the one that was offered longest ago gives way. */
const toolsMax = 5_000;

/** Assesses a list that an account offers, and keeps what it is worth: the definitions themselves are not kept. */
export async function assessTools(
  database: TelemetryDatabase,
  { accountId, tools }: ParsedRequestOf<typeof assessToolsContract>,
  readMeanings: ReadMeanings,
): Promise<ReplyOf<typeof assessToolsContract>> {
  const models = database.forAccount(accountId);
  const assessed = assessList(tools, await readMeanings(tools));
  const rows = assessed.map((each) => ({ ...renderRow(each), assessedAt: new Date(), accountId }));
  await models.toolAssessment.deleteMany({ where: { name: { in: rows.map(({ name }) => name) } } });
  await models.toolAssessment.createMany({ data: rows, skipDuplicates: true });
  // Looked at after writing: a deletion that begins later finds the rows.
  if ((await models.forgottenAccount.count()) > 0) await models.toolAssessment.deleteMany({});
  await giveWay(database, accountId);
  return { assessed: rows.length };
}

/** As Postgres can keep it: names of tools and of parameters may hold NUL and halves of surrogate pairs. */
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

async function giveWay(database: TelemetryDatabase, accountId: string): Promise<void> {
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

/** What is kept of these tools of an account, by name. */
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
