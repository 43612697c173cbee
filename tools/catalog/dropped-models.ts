import { modelRecord, type ModelRecordInput } from '@gateway/model-catalog';
import { exclusions } from './provider-rules.ts';
import { nameOf } from './render-file.ts';
import { announcementSources } from './retirements.ts';

/**
 * Parses `lists/dropped.jsonl`, which has the last known records of models that no list contains any more.
 * The catalogue keeps dropped models as deprecated models. Providers often still serve a dropped model, and
 * clients still request the model.
 * @throws ZodError with the name of the field
 */
export function parseDropped(text: string): ModelRecordInput[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const record: unknown = JSON.parse(line);
      modelRecord.parse(record);
      return record as ModelRecordInput;
    });
}

/**
 * Returns the records that an earlier data file contains and the new data file lacks. The records have the
 * format of `lists/dropped.jsonl`.
 */
export function listDropped(
  before: readonly { readonly provider: string; readonly modelId: string }[],
  after: readonly { readonly provider: string; readonly modelId: string }[],
): ModelRecordInput[] {
  const kept = new Set(after.map(nameOf));
  return before.flatMap((record) => {
    if (kept.has(nameOf(record)) || exclusions.some(({ modelId }) => modelId.test(record.modelId))) return [];
    const parsed = modelRecord.safeParse(record);
    if (!parsed.success) return [];
    const facts = record as ModelRecordInput;
    const announced = facts.sources.filter((source) => Object.hasOwn(announcementSources, source));
    // The sources of `evidence` and `disputes` are no longer in the data file.
    const dropped = { ...facts, deprecated: true, sources: ['dropped', ...announced] };
    for (const field of ['evidence', 'disputes']) Reflect.deleteProperty(dropped, field);
    return [dropped];
  });
}

/** Renders the list of dropped models with one record per line, sorted. */
export function renderDropped(records: readonly ModelRecordInput[]): string {
  return records
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}
