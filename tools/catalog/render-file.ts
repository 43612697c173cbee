import type { CatalogFileInput, ModelRecordInput } from '@gateway/model-catalog';

/** Writes the data file with one model a line, so that a change of a model is a change of one line. */
export function renderCatalogFile({ sources, models }: CatalogFileInput): string {
  const lines = models.map((model) => `    ${JSON.stringify(model)}`);
  const head = JSON.stringify({ sources }, null, 2).replace(/\n\}$/, '');
  return `${head},\n  "models": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** What an update changes, by model: added, removed, or with other facts. */
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
