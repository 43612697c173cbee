import { readFileSync } from 'node:fs';
import { catalogFile } from '@gateway/model-catalog';
import { listAges, listDaysMax } from '../../tools/catalog/check-file.ts';
import { dataPath } from '../../tools/catalog/render-file.ts';

/** Runs every night only: an old list must not fail a change that has nothing to do with it. */
describe('the lists of the model catalogue', () => {
  const file = catalogFile.parse(JSON.parse(readFileSync(dataPath, 'utf8')));
  const ages = listAges(file, new Date().toISOString().slice(0, 10));

  it('are all dated', () => {
    expect(ages.map(({ source }) => source)).toEqual(['models.dev', 'pi-ai', 'facts', 'genai-prices']);
  });

  it.each(ages)('$source is at most three months old (docs/internals/catalogue.md)', ({ days }) => {
    expect(days).toBeLessThanOrEqual(listDaysMax);
  });
});
