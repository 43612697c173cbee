// Converts tool sets to token ids, with the router's own code. Usage:
// `node training/prepare-tools.ts [--data DIR]`.
// The output files are generated/tools.bin and turns.bin (each with a .fields.bin) and questions.json.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { EncoderText } from '../apps/tool-router/src/inference/inference-protocol.ts';
import { makeToolEncoderText } from '../apps/tool-router/src/encoder/tool-encoder-text.ts';
import { Vocabulary } from '../apps/tool-router/src/encoder/vocabulary.ts';
import { readStageTurn } from '../apps/tool-router/src/second-stage/stage-turn.ts';
import { loadToolData } from '../test/eval/tool-data.ts';
import { vocabularyOptions } from './encoder-shape.ts';
import { foldOf } from './folds.ts';
import { packRows } from './token-rows.ts';

const output = join(import.meta.dirname, 'generated');
const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/tools' } } });
const data = loadToolData(values.data);
const vocabulary = Vocabulary.parse(readFileSync(join(output, 'vocabulary.txt'), 'utf8'), vocabularyOptions);
writeTokens('tools', data.definitions.map(makeToolEncoderText));
const turns = data.questions.map(({ userTurns }) => readStageTurn(userTurns, userTurns.length - 1));
// Returns each question's turn and its context. Questions from tool sets without dialogues have no context.
writeTokens(
  'turns',
  turns.map(({ texts }) => texts[1] ?? []),
);
writeFileSync(
  join(output, 'questions.json'),
  JSON.stringify(
    data.questions.map(({ dataset, golds, pools }) => ({
      dataset,
      fold: foldOf(dataset),
      golds,
      pool: pools[100] ?? pools[25],
      large: pools[500] ?? pools[100],
    })),
  ),
);

function writeTokens(name: string, texts: readonly EncoderText[]): void {
  const rows = texts.map((text) => vocabulary.tokenize(text));
  writeFileSync(join(output, `${name}.bin`), packRows(rows.map(({ tokenIds }) => tokenIds)));
  writeFileSync(join(output, `${name}.fields.bin`), packRows(rows.map(({ fieldIds }) => fieldIds)));
}
