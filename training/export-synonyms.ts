// Writes models/reranker/synonyms.bin from generated/synonyms.i32. Usage: `node training/export-synonyms.ts`.
// The format of the file is described in apps/tool-router/src/second-stage/synonyms.ts.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const generated = join(import.meta.dirname, 'generated');
const directory = join(import.meta.dirname, '../models/reranker');
const found = new Int32Array(Uint8Array.from(readFileSync(join(generated, 'synonyms.i32'))).buffer);
const vocabulary = readFileSync(join(generated, 'vocabulary.txt'), 'utf8').trimEnd().split('\n');

const near = new Map<number, [neighbour: number, cosine: number][]>();
for (let at = 0; at < found.length; at += 3) {
  const [word = 0, neighbour = 0, cosine = 0] = found.subarray(at, at + 3);
  near.set(word, [...(near.get(word) ?? []), [neighbour, cosine]]);
}
const used = [...new Set([...near].flatMap(([word, all]) => [word, ...all.map(([other]) => other)]))].sort(
  (one, other) => one - other,
);
const places = new Map(used.map((id, place) => [id, place]));
const starts = [0];
const neighbours: number[] = [];
const cosines: number[] = [];
for (const id of used) {
  for (const [neighbour, cosine] of near.get(id) ?? []) {
    neighbours.push(places.get(neighbour) ?? 0);
    cosines.push(cosine);
  }
  starts.push(neighbours.length);
}
const text = Buffer.from(used.map((id) => vocabulary[id - 1] ?? '').join('\n'));
const padding = Buffer.alloc(4 - (text.length % 4), '\n');
const textBytes = Buffer.alloc(4);
textBytes.writeUInt32LE(text.length + padding.length);
mkdirSync(directory, { recursive: true });
writeFileSync(
  join(directory, 'synonyms.bin'),
  Buffer.concat([
    textBytes,
    text,
    padding,
    new Uint8Array(Uint32Array.from(starts).buffer),
    new Uint8Array(Uint16Array.from(neighbours).buffer),
    Uint8Array.from(cosines),
  ]),
);
console.log(`${used.length} words, ${neighbours.length} neighbours`);
