import { readFileSync } from 'node:fs';
import { catalogFile } from '@gateway/model-catalog';
import { listAges, listDaysMax } from '../../tools/catalog/check-file.ts';
import { dataPath } from '../../tools/catalog/render-file.ts';

/**
 * This test runs at night only, because an outdated model list must not fail the tests of an unrelated
 * change.
 */
describe('the lists of the model catalogue', () => {
  const file = catalogFile.parse(JSON.parse(readFileSync(dataPath, 'utf8')));
  const ages = listAges(file, new Date().toISOString().slice(0, 10));

  it('the lists of the model catalogue have a date', () => {
    expect(ages.map(({ source }) => source)).toEqual(['models.dev', 'pi-ai', 'facts', 'genai-prices']);
  });

  it.each(ages)('the list $source is at most three months old (docs/internals/catalogue.md)', ({ days }) => {
    expect(days).toBeLessThanOrEqual(listDaysMax);
  });
});
