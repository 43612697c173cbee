import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRecordInput } from '@gateway/model-catalog';
import { findProvider } from '@pydantic/genai-prices';
import { z } from 'zod';
import type { Lists } from './convert.ts';
import { parseDropped } from './dropped-models.ts';
import { parseFactList, type FactList } from './fact-list.ts';
import { parseGenaiPrices } from './genai-prices.ts';
import { mergeLists, overlayOfFacts, overlayOfPackage } from './merge-lists.ts';
import { parseModelsDev } from './models-dev.ts';
import { parsePackageList } from './package-list.ts';
import { providerRules } from './provider-rules.ts';

export const baseListPath = join(import.meta.dirname, 'lists/models-dev.json');
export const droppedListPath = join(import.meta.dirname, 'lists/dropped.jsonl');
const factListPath = join(import.meta.dirname, 'lists/facts.jsonl');
const modules = join(import.meta.dirname, '../../node_modules');
const packageName = '@earendil-works/pi-ai';
const pricesName = '@pydantic/genai-prices';

/** When the newest pages behind `lists/facts.jsonl` were read. Change it together with the list. */
const factsTakenOn = '2026-11-22';
/** The package does not state when its prices were collected. This is the day on which npm published it. */
const pricesPublishedOn: Readonly<Record<string, string>> = { '0.1.8': '2026-09-23' };

const manifest = z.looseObject({ generatedAt: z.iso.datetime(), files: z.record(z.string(), z.string()) });
const packageFile = z.looseObject({ version: z.string() });
const dated = z.looseObject({ takenOn: z.string() });

type Source = { readonly title: string; readonly licence: string; readonly takenOn: string };

export interface ReadLists extends Lists {
  /** Title, licence and date of each list, by its key in the data file. */
  readonly sources: Readonly<Record<string, Source>>;
  readonly facts: FactList;
  /** Models that no list contains now. */
  readonly dropped: readonly ModelRecordInput[];
}

/**
 * Reads the model lists: the copy of models.dev and the fact list in this folder, and two pinned npm packages.
 * Needs no network.
 * @param baseText the content of a newer copy of models.dev
 * @throws ZodError for a list in another form; Error for a package version without a date
 */
export function readLists(baseText = readFileSync(baseListPath, 'utf8')): ReadLists {
  const base: unknown = JSON.parse(baseText);
  const facts = parseFactList(readFileSync(factListPath, 'utf8'));
  const listed = readPackageList();
  const sources = describeSources(dated.parse(base).takenOn, listed.takenOn);
  return {
    sources,
    facts,
    dropped: parseDropped(readFileSync(droppedListPath, 'utf8')),
    models: mergeLists(parseModelsDev(base), [
      overlayOfPackage(parsePackageList(listed.content), listed.takenOn),
      overlayOfFacts(facts, factsTakenOn),
    ]),
    genaiPrices: parseGenaiPrices(listGenaiProviders()),
    onDate: factsTakenOn,
  };
}

function describeSources(baseTakenOn: string, packageTakenOn: string): Record<string, Source> {
  const pricesVersion = readVersion(pricesName);
  const pricesTakenOn = pricesPublishedOn[pricesVersion];
  if (pricesTakenOn === undefined)
    throw new Error(`${pricesName}@${pricesVersion}: add its day of publication to read-lists.ts`);
  const licence = 'MIT';
  return {
    facts: {
      title: 'tools/catalog/lists/facts.jsonl, which names the sources of each model',
      licence: 'facts of public pages and of lists under MIT or Apache-2.0',
      takenOn: factsTakenOn,
    },
    'pi-ai': { title: `npm ${packageName}@${readVersion(packageName)}`, licence, takenOn: packageTakenOn },
    dropped: {
      title: 'tools/catalog/lists/dropped.jsonl: the last facts of models that no list contains now',
      licence,
      takenOn: '2026-07',
    },
    'models.dev': { title: 'anomalyco/models.dev', licence, takenOn: baseTakenOn },
    'genai-prices': { title: `npm ${pricesName}@${pricesVersion}`, licence, takenOn: pricesTakenOn },
  };
}

/** Reads the data files of the package. None of its code runs. */
function readPackageList(): { readonly takenOn: string; readonly content: Record<string, unknown> } {
  const folder = join(modules, packageName, 'dist/providers/data');
  const { generatedAt } = manifest.parse(JSON.parse(readFileSync(join(folder, '.manifest.json'), 'utf8')));
  const files = readdirSync(folder).filter((name) => /^[^.].*\.json$/.test(name));
  return {
    takenOn: generatedAt.slice(0, 10),
    content: Object.fromEntries(
      files.map((name) => [
        name.replace(/\.json$/, ''),
        JSON.parse(readFileSync(join(folder, name), 'utf8')),
      ]),
    ),
  };
}

function listGenaiProviders(): unknown[] {
  const ids = new Set(providerRules.flatMap(({ genaiPrices }) => genaiPrices ?? []));
  return [...ids].map((providerId) => {
    const provider = findProvider({ providerId });
    if (provider === undefined) throw new Error(`${pricesName} has no provider "${providerId}"`);
    return provider;
  });
}

function readVersion(name: string): string {
  return packageFile.parse(JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))).version;
}
