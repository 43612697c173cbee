import type { ModelRecordInput } from '@gateway/model-catalog';
import { z } from 'zod';
import type { ModelsDev } from './models-dev.ts';
import type { UpdateReport } from './report.ts';

type Quality = NonNullable<ModelRecordInput['quality']>[number];

/** A single benchmark result from `benchmarks` of models.dev. */
const benchmark = z.looseObject({
  name: z.string().min(1),
  score: z.number(),
  metric: z.string().optional(),
  dataset: z.string().optional(),
  version: z.string().optional(),
  variant: z.string().optional(),
  harness: z.string().optional(),
  source: z.url(),
  date: z
    .string()
    .regex(/^\d{4}(-\d{2}){0,2}$/)
    .optional(),
});

/**
 * Returns the benchmark results in the model's own entry. If the model's own entry has no results, returns the
 * results from the maker's entry for the model id. Results for different settings stay separate. The function
 * computes no new results.
 */
export function findQuality(
  subject: string,
  own: Record<string, unknown>,
  { modelId, maker }: { readonly modelId: string; readonly maker: string | undefined },
  list: ModelsDev,
  report: UpdateReport,
): Quality[] {
  const names = [`${maker ?? ''}/${modelId}`, modelId, ...namesOfClaude(modelId, list)];
  const found = own['benchmarks'] ?? names.map((name) => list.baseOf(name)?.['benchmarks']).find(isThere);
  if (found === undefined) {
    report.add('no-quality', subject, 'no source has a measurement');
    return [];
  }
  const parsed = z.array(benchmark).safeParse(found);
  if (parsed.success) return parsed.data.map(mapFigure);
  report.add('unreadable', subject, `benchmarks: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
  return [];
}

function isThere(value: unknown): boolean {
  return value !== undefined;
}

/**
 * Since Claude 4, model names with and without a date refer to the same model. Hosts other than Anthropic only
 * add prefixes and suffixes to Anthropic's model name. A named variant (such as `-fast`) is a different model.
 */
const claude = /claude-([a-z]+)-(\d+)(?:[-.](\d{1,2}))?(?:-\d{8})?(?:-v\d+(?::\d+)?)?$/;

function nameClaude(modelId: string): string | undefined {
  const [, line, major, minor = '0'] = claude.exec(modelId) ?? [];
  return line === undefined ? undefined : `${line} ${String(major)}.${minor}`;
}

/** Returns the ids that Anthropic uses for a Claude model. */
function namesOfClaude(modelId: string, { baseNames }: ModelsDev): string[] {
  const name = nameClaude(modelId);
  if (name === undefined) return [];
  return baseNames.filter((base) => base.startsWith('anthropic/') && nameClaude(base) === name);
}

function mapFigure({ name, score, metric, source, date, ...way }: z.infer<typeof benchmark>): Quality {
  const setting = [way.dataset, way.version, way.variant, way.harness].filter((each) => each !== undefined);
  return {
    measure: name,
    value: score,
    ...(metric !== undefined && { unit: metric }),
    ...(setting.length > 0 && { setting: setting.join(', ') }),
    source,
    ...(date !== undefined && { measuredOn: date }),
  };
}
