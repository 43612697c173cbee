import type { CatalogFileInput, ModelRecordInput } from '@gateway/model-catalog';
import { createCatalog } from '@gateway/model-catalog';
import { convertProvider } from './convert.ts';
import { familySources } from './families/family.ts';
import { nativeSelectionSources } from './native-selection.ts';
import { convertOtherModels } from './other-models.ts';
import { ownModels, providerRules, type ProviderRule } from './provider-rules.ts';
import type { ReadLists } from './read-lists.ts';
import type { UpdateReport } from './report.ts';
import { announcementSources } from './retirements.ts';

/**
 * Builds the content of the catalogue's data file from the model lists. The same model lists always produce
 * the same files, on any machine.
 * @throws ZodError, or Error from `createCatalog`, if the result is not a valid catalogue
 */
export function buildCatalog(lists: ReadLists, report: UpdateReport): CatalogFileInput {
  const models = [...ownModels, ...providerRules.flatMap((rule) => buildProvider(rule, lists, report))];
  const file = { sources: { ...ownSources, ...lists.sources, ...pageSources }, models };
  const used = new Set(
    models.flatMap(({ sources, disputes = [], evidence = {} }) => [
      ...sources,
      ...disputes.map(({ source }) => source),
      ...Object.values(evidence).map(({ source }) => source),
    ]),
  );
  const sources = Object.fromEntries(Object.entries(file.sources).filter(([key]) => used.has(key)));
  createCatalog({ ...file, sources });
  return { ...file, sources };
}

const ownSources = {
  'agent-gateway': { title: 'apps/sandbox-provider', licence: 'Apache-2.0', takenOn: '2026-11-20' },
};

const pageSources = {
  'recorded-exchanges': {
    title: 'public test recordings of provider exchanges',
    licence: 'MIT, Apache-2.0 or BSD, each its own',
    takenOn: '2026-11',
  },
  ...announcementSources,
  ...familySources,
  ...nativeSelectionSources,
};

function buildProvider(rule: ProviderRule, lists: ReadLists, report: UpdateReport): ModelRecordInput[] {
  const records = convertProvider(rule, lists, report);
  const known = new Set(records.map(({ modelId }) => modelId));
  const listed = [
    ...records.map((record) => addAliases(record, rule, lists, known)),
    ...convertOtherModels(rule.provider, known, lists, report),
  ];
  const taken = new Set(listed.flatMap(({ modelId, aliases = [] }) => [modelId, ...aliases]));
  const dropped = lists.dropped.filter(
    ({ provider, modelId }) => provider === rule.provider && !taken.has(modelId),
  );
  return [...listed, ...dropped];
}

/** Removes aliases that have a catalogue record of their own. */
function addAliases(
  record: ModelRecordInput,
  { modelsDev }: ProviderRule,
  { facts }: ReadLists,
  known: ReadonlySet<string>,
): ModelRecordInput {
  const listed = facts.find(modelsDev ?? '', record.modelId)?.aliases ?? [];
  const aliases = listed.filter((alias) => !known.has(alias));
  return aliases.length === 0 ? record : { ...record, aliases };
}
