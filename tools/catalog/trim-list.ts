import { z } from 'zod';
import { unusedFields, type Tree } from './models-dev.ts';
import type { StoredPackageList } from './package-list.ts';
import { providerRules } from './provider-rules.ts';

const tree = z.record(z.string(), z.unknown());
const list = z.record(z.string(), z.looseObject({ models: z.record(z.string(), tree) }));
const stored = z.looseObject({ base_models: z.record(z.string(), tree) });

/**
 * Renders a models.dev list for storage. The stored list has only the gateway's providers, without unused
 * fields, with one model per line. api.json has no benchmark results for base models, so the results come
 * from the earlier stored list.
 * @throws ZodError if a list has an unexpected form
 */
export function trimList(content: unknown, before: unknown, takenOn: string): string {
  const providers = list.parse(content);
  const { base_models: bases } = stored.parse(before);
  const parts = listKeys().flatMap((key) => {
    const models = providers[key]?.models;
    return models === undefined
      ? []
      : [`${JSON.stringify(key)}: {"models": ${renderLines(dropUnused(models))}}`];
  });
  return [
    `{\n"takenOn": ${JSON.stringify(takenOn)},`,
    `"base_models": ${renderLines(dropUnused(bases))},`,
    `"providers": {\n${parts.join(',\n')}\n}\n}\n`,
  ].join('\n');
}

/**
 * Renders the pi-ai model list for storage. The stored list has only the gateway's providers, with one model
 * per line.
 */
export function trimPackage({ version, takenOn, modelsOf }: StoredPackageList): string {
  const parts = listKeys().flatMap((key) => {
    const models = modelsOf(key);
    return models.size === 0 ? [] : [`${JSON.stringify(key)}: ${renderLines(Object.fromEntries(models))}`];
  });
  return [
    `{\n"version": ${JSON.stringify(version)},`,
    `"takenOn": ${JSON.stringify(takenOn)},`,
    `"providers": {\n${parts.join(',\n')}\n}\n}\n`,
  ].join('\n');
}

/** Returns the models.dev keys of the gateway's providers. */
function listKeys(): string[] {
  return [...new Set(providerRules.flatMap(({ modelsDev }) => modelsDev ?? []))];
}

function dropUnused(models: Readonly<Record<string, Tree>>): Record<string, Tree> {
  return Object.fromEntries(
    Object.entries(models).map(([id, model]) => [
      id,
      Object.fromEntries(Object.entries(model).filter(([field]) => !unusedFields.has(field))),
    ]),
  );
}

function renderLines(models: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(models)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, model]) => `${JSON.stringify(id)}: ${JSON.stringify(model)}`);
  return `{\n${lines.join(',\n')}\n}`;
}
