import { z } from 'zod';
import { providerRules } from './provider-rules.ts';

type Tree = Record<string, unknown>;

const tree = z.record(z.string(), z.unknown());
const list = z.record(z.string(), z.looseObject({ models: z.record(z.string(), tree) }));
const stored = z.looseObject({ base_models: z.record(z.string(), tree) });

/** Fields of models.dev that the catalogue does not use. Fields that are not known here stay and are reported. */
const unused = new Set(
  (
    'id description attachment family temperature knowledge last_updated open_weights interleaved ' +
    'canonical_model_id experimental weights links license'
  ).split(' '),
);

/**
 * Renders a models.dev list for storage: only the providers of the gateway, without unused fields, with one
 * model per line. The measurements of base models come from the stored list, because api.json has none.
 * @throws ZodError if a list has another form
 */
export function trimList(content: unknown, before: unknown, takenOn: string): string {
  const providers = list.parse(content);
  const { base_models: bases } = stored.parse(before);
  const keys = [...new Set(providerRules.flatMap(({ modelsDev }) => modelsDev ?? []))];
  const parts = keys.flatMap((key) => {
    const models = providers[key]?.models;
    return models === undefined ? [] : [`${JSON.stringify(key)}: {"models": ${renderLines(models)}}`];
  });
  return [
    `{\n"takenOn": ${JSON.stringify(takenOn)},`,
    `"base_models": ${renderLines(bases)},`,
    `"providers": {\n${parts.join(',\n')}\n}\n}\n`,
  ].join('\n');
}

function renderLines(models: Readonly<Record<string, Tree>>): string {
  const lines = Object.entries(models)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, model]) => {
      const kept = Object.fromEntries(Object.entries(model).filter(([field]) => !unused.has(field)));
      return `${JSON.stringify(id)}: ${JSON.stringify(kept)}`;
    });
  return `{\n${lines.join(',\n')}\n}`;
}
