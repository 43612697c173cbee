import { readFileSync } from 'node:fs';
import { catalogFile } from '@gateway/model-catalog';
import { listAges, listDaysMax } from '../../tools/catalog/check-file.ts';
import { dataPath } from '../../tools/catalog/render-file.ts';

/** This test runs only at night, because an outdated model list must not fail an unrelated change. */
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
