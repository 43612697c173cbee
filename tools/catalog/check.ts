/**
 * `npm run catalog:check` checks the model catalogue.
 *
 * The check fails if a current model has no price, or if the catalogue lacks a model of the fact list. The
 * check fails if a list has an unknown field, or if sources differ without a stated reason. The check fails if
 * the data file differs from the output of `npm run catalog:update`.
 *
 * An old list causes only a warning. The test `npm run test:nightly -- catalogue-age` fails for an old list.
 */
import { readFileSync } from 'node:fs';
import { buildCatalog } from './build.ts';
import { checkCatalog } from './check-file.ts';
import { readLists } from './read-lists.ts';
import { dataPath, renderCatalogFile } from './render-file.ts';
import { UpdateReport } from './report.ts';

const report = new UpdateReport();
const lists = readLists();
const file = buildCatalog(lists, report);
const { errors, warnings } = checkCatalog(file, lists.facts, report, new Date().toISOString().slice(0, 10));
if (readFileSync(dataPath, 'utf8') !== renderCatalogFile(file))
  errors.push('libs/model-catalog/data/models.json differs from the lists. Run npm run catalog:update.');

for (const warning of warnings) console.warn(`warning: ${warning}`);
for (const error of errors) console.error(`error: ${error}`);
console.log(
  errors.length === 0
    ? `The catalogue is complete: ${String(file.models.length)} models.`
    : `${String(errors.length)} errors`,
);
if (errors.length > 0) process.exitCode = 1;
