import type { CatalogFileInput, ModelRecordInput } from '@gateway/model-catalog';

/** Renders the data file with one model per line, so that changing one model changes one line. */
export function renderCatalogFile({ sources, models }: CatalogFileInput): string {
  const lines = models.map((model) => `    ${JSON.stringify(model)}`);
  const head = JSON.stringify({ sources }, null, 2).replace(/\n\}$/, '');
  return `${head},\n  "models": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** Ids of the models that an update adds, removes or changes. */
export function compareFiles(
  before: readonly ModelRecordInput[],
  after: readonly ModelRecordInput[],
): Record<'added' | 'removed' | 'changed', string[]> {
  const old = new Map(before.map((model) => [keyOf(model), JSON.stringify(model)]));
  const now = new Map(after.map((model) => [keyOf(model), JSON.stringify(model)]));
  return {
    added: [...now.keys()].filter((key) => !old.has(key)),
    removed: [...old.keys()].filter((key) => !now.has(key)),
    changed: [...now].filter(([key, text]) => old.has(key) && old.get(key) !== text).map(([key]) => key),
  };
}

function keyOf({ provider, modelId }: ModelRecordInput): string {
  return `${provider}/${modelId}`;
}
