// Writes the features of each question's candidate tools.
// The features are used to fit the second stage of the ranking.
// The features come from encoders that were not trained on the question's family of tool sets. Usage:
// `node training/dump-features.ts [--data DIR]`.
// The output files are generated/features.f32 and features.json, with features from both encoders.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allFeatureNames } from '../apps/tool-router/src/second-stage/feature-names.ts';
import { SemanticPath } from '../test/eval/semantic-path.ts';
import { askedBy } from '../test/eval/served-ranking.ts';
import { loadToolData } from '../test/eval/tool-data.ts';
import { foldOf } from './folds.ts';

const generated = join(import.meta.dirname, 'generated');
const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/tools' } } });
const data = loadToolData(values.data);
const path = new SemanticPath(data);
const file = openSync(join(generated, 'features.f32'), 'w');
const items: object[] = [];
for (const question of data.questions) {
  for (const size of ['25', '100'] as const) {
    const pool = question.pools[size];
    if (pool === undefined) continue;
    const { features } = await path.see(question.dataset, askedBy(question), pool);
    writeSync(file, new Uint8Array(features.buffer));
    const { dataset, golds } = question;
    const places = golds.map((lines) =>
      lines.map((line) => pool.indexOf(line)).filter((place) => place >= 0),
    );
    items.push({ dataset, fold: foldOf(dataset), size: Number(size), tools: pool.length, golds: places });
  }
  if (items.length % 1000 < 2) console.log(`${items.length} lists`);
}
closeSync(file);
writeFileSync(join(generated, 'features.json'), JSON.stringify({ names: allFeatureNames, items }));
