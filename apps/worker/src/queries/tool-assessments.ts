import { z } from 'zod';
import type { ToolAssessment } from '../assess-tools/assess-tools.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

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
