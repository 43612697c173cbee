/**
 * Builds the data file of the model catalogue from public lists:
 *
 *     npm run catalog:update -- --from FILE_OR_URL [--from-date 2026-07] [--prices FILE_OR_URL] [--prices-date 2026-08] [--dry-run]
 *
 * `--from` is a list in the format of models.dev (https://models.dev/api.json). `--prices` is a list in the format of
 * genai-prices, for comparing prices. The dates state when the lists were downloaded; the default is today.
 *
 * The command prints conflicts, missing prices, unknown fields, and models without measurements or retirement dates. It
 * does not guess such values. The lists lack retirement dates (retirements.ts), bound reasoning (thinking-binding.ts)
 * and native selection (native-selection.ts). These facts come from the providers' own pages. The last line is JSON.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogFile, createCatalog, type CatalogFileInput } from '@gateway/model-catalog';
import { convertProvider } from './convert.ts';
import { parseGenaiPrices } from './genai-prices.ts';
import { parseModelsDev } from './models-dev.ts';
import { addNativeSelection, nativeSelectionSources } from './native-selection.ts';
import { convertOtherModels } from './other-models.ts';
import { ownModels, providerRules } from './provider-rules.ts';
import { compareFiles, renderCatalogFile } from './render-file.ts';
import { UpdateReport } from './report.ts';
import { announcementSources } from './retirements.ts';
import { bindingSource, renderListedModels } from './thinking-binding.ts';

const dataPath = join(import.meta.dirname, '../../libs/model-catalog/data/models.json');
const today = new Date().toISOString().slice(0, 10);

const { values: options } = parseArgs({
  options: {
    from: { type: 'string' },
    'from-date': { type: 'string', default: today },
    prices: { type: 'string' },
    'prices-date': { type: 'string', default: today },
    'dry-run': { type: 'boolean', default: false },
  },
});
if (options.from === undefined) {
  console.error('usage: npm run catalog:update -- --from FILE_OR_URL [--prices FILE_OR_URL] [--dry-run]');
  process.exit(2);
}

const report = new UpdateReport();
const file = buildFile(
  await readJson(options.from),
  options.prices === undefined ? undefined : await readJson(options.prices),
);
createCatalog(file);
const before = existsSync(dataPath)
  ? catalogFile.parse(JSON.parse(readFileSync(dataPath, 'utf8'))).models
  : [];
const changes = compareFiles(before, catalogFile.parse(file).models);
if (!options['dry-run']) writeFileSync(dataPath, renderCatalogFile(file));

console.log(report.render());
console.log(
  JSON.stringify({
    models: file.models.length,
    by_provider: Object.fromEntries(
      Object.entries(Object.groupBy(file.models, ({ provider }) => provider)).map(([provider, models]) => [
        provider,
        models?.length,
      ]),
    ),
    findings: report.counts(),
    added: changes.added.length,
    removed: changes.removed,
    changed: changes.changed.length,
    written: !options['dry-run'],
  }),
);

function buildFile(list: unknown, secondList: unknown): CatalogFileInput {
  const modelsDev = parseModelsDev(list);
  const genaiPrices = secondList === undefined ? undefined : parseGenaiPrices(secondList);
  const lists = { modelsDev, genaiPrices, onDate: today };
  const listed = providerRules.flatMap((rule) => {
    const records = convertProvider(rule, lists, report);
    const known = new Set(records.map(({ modelId }) => modelId));
    return [
      ...records,
      ...renderListedModels(rule.provider, known).map(addNativeSelection),
      ...convertOtherModels(rule.provider, known, lists, report),
    ];
  });
  return {
    sources: {
      'agent-gateway': { title: 'apps/sandbox-provider', licence: 'Apache-2.0', takenOn: today },
      'models.dev': {
        title: 'anomalyco/models.dev',
        licence: 'MIT',
        takenOn: options['from-date'],
      },
      'recorded-exchanges': {
        title: 'public test recordings of provider exchanges',
        licence: 'MIT, Apache-2.0 or BSD, each its own',
        takenOn: '2026-11',
      },
      ...(genaiPrices && {
        'genai-prices': {
          title: 'pydantic/genai-prices',
          licence: 'MIT',
          takenOn: options['prices-date'],
        },
      }),
      ...announcementSources,
      ...bindingSource,
      ...nativeSelectionSources,
    },
    models: [...ownModels, ...listed],
  };
}

async function readJson(fileOrUrl: string): Promise<unknown> {
  if (!/^https?:/.test(fileOrUrl)) return JSON.parse(readFileSync(fileOrUrl, 'utf8'));
  const response = await fetch(fileOrUrl, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${fileOrUrl}: HTTP status ${String(response.status)}`);
  return response.json();
}
