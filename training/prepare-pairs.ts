// Converts text pairs to token ids.
// Usage: `node training/prepare-pairs.ts [--pairs DIR]`.
// The output files are generated/vocabulary.txt and pairs.bin.
// The router's own code splits the words, so training and serving use the same tokens.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { Vocabulary } from '../apps/tool-router/src/encoder/vocabulary.ts';
import { splitTokens } from '../apps/tool-router/src/tool-index/tokens.ts';
import { vocabularyOptions, wordsMax } from './encoder-shape.ts';
import { packRows } from './token-rows.ts';

const tokensMax = 48;
const output = join(import.meta.dirname, 'generated');

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '../shared/data/pairs' } } });
const files = [
  ...readdirSync(values.pairs)
    .filter((name) => name.endsWith('.tsv.gz'))
    .sort()
    .map((name) => join(values.pairs, name)),
  join(import.meta.dirname, 'comments.tsv.gz'),
];
const pairs = files.flatMap(readPairs);
const words = chooseWords(pairs);
const vocabulary = new Vocabulary(words, vocabularyOptions);
mkdirSync(output, { recursive: true });
writeFileSync(join(output, 'vocabulary.txt'), `${words.join('\n')}\n`);
const idsOf = (text: string): number[] => {
  const { tokenIds } = vocabulary.tokenize([{ field: 'description', text }]);
  return tokenIds.slice(0, tokensMax);
};
const rows = pairs
  .map(({ kind, one, other }) => ({ kind, rows: [idsOf(one), idsOf(other)] }))
  .filter((pair) => pair.rows.every((row) => row.length > 0));
writeFileSync(join(output, 'pairs.bin'), packRows(rows.flatMap((pair) => pair.rows)));
writeFileSync(join(output, 'pair-kinds.txt'), rows.map(({ kind }) => kind).join('\n'));
writeFileSync(join(output, 'shape.json'), JSON.stringify({ words: words.length, rows: vocabulary.size }));
console.log(`${rows.length} pairs, ${words.length} words, ${vocabulary.size} rows`);

function readPairs(file: string): { kind: string; one: string; other: string }[] {
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [kind, one, other] = line.split('\t');
      return kind === undefined || one === undefined || other === undefined ? [] : [{ kind, one, other }];
    });
}

/** Returns the most frequent words that occur in at least two text pairs. */
function chooseWords(all: readonly { one: string; other: string }[]): string[] {
  const counts = new Map<string, number>();
  for (const { one, other } of all) {
    for (const word of new Set([...splitTokens(one, tokensMax), ...splitTokens(other, tokensMax)])) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts]
    .filter(([, count]) => count > 1)
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, wordsMax)
    .map(([word]) => word);
}
