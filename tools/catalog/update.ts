/**
 * Builds the data file of the model catalogue. Usage:
 * `npm run catalog:update [-- --from FILE_OR_URL --from-date 2026-09-30] [--pi-ai FOLDER] [--dry-run]`.
 *
 * Without `--from`, the command needs no network. The command reads the lists in `lists/` and the
 * pinned package @pydantic/genai-prices. With `--from`, the command first replaces the copy of
 * models.dev with a newer copy (https://models.dev/api.json). The option `--from-date` sets the date of
 * the download. With `--pi-ai`, the command first replaces the copy of pi-ai with the data of an
 * unpacked npm package.
 *
 * The command prints conflicts, missing prices, unknown fields, and models without benchmark results or
 * retirement dates. The command never guesses missing values. The last line of the output is JSON.
 * `docs/internals/catalogue.md` describes each step of an update.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildCatalog } from './build.ts';
import { listDropped, renderDropped } from './dropped-models.ts';
import {
  baseListPath,
  droppedListPath,
  packageListPath,
  readCopies,
  readLists,
  readPackage,
} from './read-lists.ts';
import { compareFiles, dataPath, readModels, renderCatalogFile } from './render-file.ts';
import { UpdateReport } from './report.ts';
import { trimList, trimPackage } from './trim-list.ts';

const { values: options } = parseArgs({
  options: {
    from: { type: 'string' },
    'from-date': { type: 'string', default: new Date().toISOString().slice(0, 10) },
    'pi-ai': { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
});

const stored = readCopies();
const copies = {
  base:
    options.from === undefined
      ? stored.base
      : trimList(await readJson(options.from), JSON.parse(stored.base), options['from-date']),
  package: options['pi-ai'] === undefined ? stored.package : trimPackage(readPackage(options['pi-ai'])),
};
const lists = readLists(copies);
const before = readModels(existsSync(dataPath) ? readFileSync(dataPath, 'utf8') : '');
const dropped = [...lists.dropped, ...listDropped(before, buildCatalog(lists, new UpdateReport()).models)];
const report = new UpdateReport();
const file = buildCatalog({ ...lists, dropped }, report);
const changes = compareFiles(before, file.models);
if (!options['dry-run']) {
  if (copies.base !== stored.base) writeFileSync(baseListPath, copies.base);
  if (copies.package !== stored.package) writeFileSync(packageListPath, copies.package);
  if (dropped.length > lists.dropped.length) writeFileSync(droppedListPath, renderDropped(dropped));
  writeFileSync(dataPath, renderCatalogFile(file));
}

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

async function readJson(fileOrUrl: string): Promise<unknown> {
  if (!/^https?:/.test(fileOrUrl)) return JSON.parse(readFileSync(fileOrUrl, 'utf8'));
  const response = await fetch(fileOrUrl, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${fileOrUrl}: HTTP status ${String(response.status)}`);
  return response.json();
}
