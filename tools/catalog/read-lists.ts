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
import { parsePackage, parsePackageList, type StoredPackageList } from './package-list.ts';
import { providerRules } from './provider-rules.ts';

export const baseListPath = join(import.meta.dirname, 'lists/models-dev.json');
export const droppedListPath = join(import.meta.dirname, 'lists/dropped.jsonl');
export const packageListPath = join(import.meta.dirname, 'lists/pi-ai.json');
const factListPath = join(import.meta.dirname, 'lists/facts.jsonl');
const modules = join(import.meta.dirname, '../../node_modules');
const pricesName = '@pydantic/genai-prices';

/**
 * The day on which the newest pages for `lists/facts.jsonl` were read. Update the date with each change of
 * the fact list.
 */
const factsTakenOn = '2026-11-22';
/**
 * The day on which npm published the package. The package does not contain the day on which its prices were
 * collected.
 */
const pricesPublishedOn: Readonly<Record<string, string>> = { '0.1.8': '2026-09-23' };

const manifest = z.looseObject({ generatedAt: z.iso.datetime() });
const packageFile = z.looseObject({ version: z.string() });
const dated = z.looseObject({ takenOn: z.string() });

type Source = { readonly title: string; readonly licence: string; readonly takenOn: string };

export interface ReadLists extends Lists {
  /** The title, licence and date of each list, by the list's key in the data file. */
  readonly sources: Readonly<Record<string, Source>>;
  readonly facts: FactList;
  /** The records of models that no model list contains any more. */
  readonly dropped: readonly ModelRecordInput[];
}

/** The stored copies of other projects' model lists. */
export interface StoredCopies {
  readonly base: string;
  readonly package: string;
}

export function readCopies(): StoredCopies {
  return { base: readFileSync(baseListPath, 'utf8'), package: readFileSync(packageListPath, 'utf8') };
}

/**
 * Reads the model lists, which are the copies of models.dev and pi-ai, the fact list in this folder, and one
 * pinned npm package. The model lists are read from local copies, without network access.
 * @throws ZodError for a list with an unexpected form, or Error for a package version without a date
 */
export function readLists(copies = readCopies()): ReadLists {
  const base: unknown = JSON.parse(copies.base);
  const facts = parseFactList(readFileSync(factListPath, 'utf8'));
  const listed = parsePackageList(JSON.parse(copies.package));
  const sources = describeSources(dated.parse(base).takenOn, listed);
  return {
    sources,
    facts,
    dropped: parseDropped(readFileSync(droppedListPath, 'utf8')),
    models: mergeLists(parseModelsDev(base), [
      overlayOfPackage(listed, listed.takenOn),
      overlayOfFacts(facts, factsTakenOn),
    ]),
    genaiPrices: parseGenaiPrices(listGenaiProviders()),
    onDate: factsTakenOn,
  };
}

function describeSources(baseTakenOn: string, listed: StoredPackageList): Record<string, Source> {
  const pricesVersion = readVersion(join(modules, pricesName));
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
    'pi-ai': { title: `npm @earendil-works/pi-ai@${listed.version}`, licence, takenOn: listed.takenOn },
    dropped: {
      title:
        'tools/catalog/lists/dropped.jsonl: the last known facts of models that are no longer in any list',
      licence,
      takenOn: '2026-07',
    },
    'models.dev': { title: 'anomalyco/models.dev', licence, takenOn: baseTakenOn },
    'genai-prices': { title: `npm ${pricesName}@${pricesVersion}`, licence, takenOn: pricesTakenOn },
  };
}

/**
 * Reads an unpacked copy of the npm package @earendil-works/pi-ai. Only the package's data files are read,
 * and none of its code is run.
 */
export function readPackage(folder: string): StoredPackageList {
  const data = join(folder, 'dist/providers/data');
  const readData = (name: string): unknown => JSON.parse(readFileSync(join(data, name), 'utf8'));
  const { generatedAt } = manifest.parse(readData('.manifest.json'));
  const files = readdirSync(data).filter((name) => /^[^.].*\.json$/.test(name));
  const content = Object.fromEntries(files.map((name) => [name.replace(/\.json$/, ''), readData(name)]));
  return { version: readVersion(folder), takenOn: generatedAt.slice(0, 10), ...parsePackage(content) };
}

function listGenaiProviders(): unknown[] {
  const ids = new Set(providerRules.flatMap(({ genaiPrices }) => genaiPrices ?? []));
  return [...ids].map((providerId) => {
    const provider = findProvider({ providerId });
    if (provider === undefined) throw new Error(`${pricesName} has no provider "${providerId}"`);
    return provider;
  });
}

function readVersion(folder: string): string {
  return packageFile.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).version;
}
