import type { ModelRecordInput } from '@gateway/model-catalog';
import { z } from 'zod';
import type { ModelsDev } from './models-dev.ts';
import type { UpdateReport } from './report.ts';

type Quality = NonNullable<ModelRecordInput['quality']>[number];

/** One figure of models.dev's `benchmarks`. */
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
 * The figures that the list has of a model: its own, or those of its maker's model of the same id. Of a figure that is
 * measured in several ways, each way stands. None is made up of others.
 */
export function findQuality(
  subject: string,
  own: Record<string, unknown>,
  { modelId, maker }: { readonly modelId: string; readonly maker: string | undefined },
  list: ModelsDev,
  report: UpdateReport,
): Quality[] {
  const found =
    own['benchmarks'] ??
    list.baseOf(`${maker ?? ''}/${modelId}`)?.['benchmarks'] ??
    list.baseOf(modelId)?.['benchmarks'];
  if (found === undefined) {
    report.add('no-quality', subject, 'no source has a figure of it');
    return [];
  }
  const parsed = z.array(benchmark).safeParse(found);
  if (parsed.success) return parsed.data.map(mapFigure);
  report.add('unreadable', subject, `benchmarks: ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
  return [];
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
