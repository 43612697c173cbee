import type { ContextBlock } from '../../../apps/compressor/src/compress-blocks/context-block.ts';
import { countTokens } from '../../../apps/compressor/src/text/count-tokens.ts';

/** Pseudo-random numbers from a linear congruential generator, equal in every run. */
function createDraw(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words = (
  'the a of request result order customer flight account when was it not that this which changed before after found price ' +
  'service under between every other value with from into more less number report because system however answer'
).split(' ');

type WriteLine = (draw: (below: number) => number, line: number) => string;

const proseLine: WriteLine = (draw) => {
  const sentence = Array.from({ length: 14 }, () => words[draw(words.length)]).join(' ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
};

const logLine: WriteLine = (draw, line) => {
  const level = ['INFO', 'DEBUG', 'INFO', 'WARN'][draw(4)] ?? 'INFO';
  const time = new Date(1_790_000_000_000 + line * 137).toISOString();
  return `${time} ${level} [worker-${draw(8)}] served /v1/orders/${draw(1e6)} in ${draw(900)} ms, ${draw(3)} retries`;
};

const jsonRecord = (draw: (below: number) => number): object => ({
  id: draw(1e9),
  name: `${words[draw(words.length)] ?? ''} ${words[draw(words.length)] ?? ''}`,
  price: draw(1e5) / 100,
  tags: [words[draw(words.length)], words[draw(words.length)]],
  stock: { here: draw(100), there: draw(100) },
});

export const kinds = ['prose', 'json', 'logs'] as const;
export type Kind = (typeof kinds)[number];

/**
 * Returns distinct tool results of about `blockTokens` tokens each, up to the given total number of tokens.
 */
export function makeBlocks(kind: Kind, tokens: number, blockTokens = 2_000): ContextBlock[] {
  const draw = createDraw(tokens + kind.length);
  const blocks: ContextBlock[] = [];
  let line = 0;
  // Tokens are counted only in a sample, because a complete count would take longer than the benchmark.
  const sample = Array.from({ length: 40 }, () => makeLine(kind, createDraw(1), 1)).join('\n');
  const linesInBlock = Math.ceil((blockTokens * 40) / countTokens(sample));
  for (let sum = 0; sum < tokens; sum += blockTokens) {
    const lines = Array.from({ length: linesInBlock }, () => makeLine(kind, draw, (line += 1)));
    const text = kind === 'json' ? `[\n${lines.join(',\n')}\n]` : lines.join('\n');
    blocks.push({ speaker: 'assistant', text: `read part ${blocks.length}`, frozen: true });
    blocks.push({ speaker: 'tool', text, frozen: false });
  }
  return blocks;
}

function makeLine(kind: Kind, draw: (below: number) => number, line: number): string {
  if (kind === 'json') return JSON.stringify(jsonRecord(draw), null, 2);
  return kind === 'logs' ? logLine(draw, line) : proseLine(draw, line);
}

const fiveMegabytes = 5_000_000;

/** Creates text on which naive patterns and tokenizers are slow. */
export const pathological: Readonly<Record<string, () => string>> = {
  '20,000 equal letters': () => 'a'.repeat(20_000),
  '20,000 spaces and a word': () => `${' '.repeat(20_000)}end`,
  '20,000 lines of spaces': () => `${' '.repeat(40)}\n`.repeat(20_000),
  '20,000 equal lines': () => 'the same line again and again\n'.repeat(20_000),
  'two lines in turn, 20,000 times': () => 'one line of the two\nand the other one\n'.repeat(20_000),
  '100,000 carriage returns': () => `${'x'.repeat(100_000)}${'\ry'.repeat(100_000)}`,
  '100,000 escapes that never end': () => '\x1b]'.repeat(100_000),
  '50,000 backslashes in JSON': () => JSON.stringify(['\\'.repeat(50_000), '"'.repeat(50_000)], null, 2),
  'JSON nested 5,000 deep': () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  '1.9 MB single line': () => 'lorem ipsum '.repeat(1_900_000 / 12),
  '1.9 MB single line without a space': () => 'x1Y'.repeat(1_900_000 / 3),
  '5 MB single line': () => 'lorem ipsum '.repeat(fiveMegabytes / 12),
  '5 MB single line without a space': () => 'x1Y'.repeat(fiveMegabytes / 3),
  '5 MB single line of JSON': () =>
    JSON.stringify(Array.from({ length: fiveMegabytes / 20 }, (_, id) => ({ id, at: id }))),
};
