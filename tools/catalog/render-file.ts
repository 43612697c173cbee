import { join } from 'node:path';
import { z } from 'zod';
import type { CatalogFileInput } from '@gateway/model-catalog';

export const dataPath = join(import.meta.dirname, '../../libs/model-catalog/data/models.json');

/**
 * Renders the data file with one model per line, so that a change to one model changes only one
 * line.
 */
export function renderCatalogFile({ sources, models }: CatalogFileInput): string {
  const lines = models.map((model) => `    ${JSON.stringify(model)}`);
  const head = JSON.stringify({ sources }, null, 2).replace(/\n\}$/, '');
  return `${head},\n  "models": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

const anyFile = z.object({
  models: z.array(z.looseObject({ provider: z.string(), modelId: z.string() })),
});
type AnyModel = z.infer<typeof anyFile>['models'][number];

/**
 * Parses the models of a data file. Older formats of the data file are accepted. Returns no models for an
 * empty text.
 */
export function readModels(text: string): AnyModel[] {
  return text === '' ? [] : anyFile.parse(JSON.parse(text)).models;
}

/** Returns the ids of the models that a catalogue update adds, removes or changes. */
export function compareFiles(
  before: readonly AnyModel[],
  after: readonly AnyModel[],
): Record<'added' | 'removed' | 'changed', string[]> {
  const old = new Map(before.map((model) => [nameOf(model), JSON.stringify(model)]));
  const now = new Map(after.map((model) => [nameOf(model), JSON.stringify(model)]));
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !now.has(key)),
    changed: [...now].filter(([key, text]) => old.has(key) && old.get(key) !== text).map(([key]) => key),
  };
}

/** Returns a model's name for reports and lookups. */
export function nameOf({ provider, modelId }: Pick<AnyModel, 'provider' | 'modelId'>): string {
  return `${provider}/${modelId}`;
}
