/** The options of a multiple-choice question (`A. …`, `B) …`, one per line), separated from the question. */
export interface Choices {
  readonly stem: string;
  /** Feature values of the options, in the order of the feature names `options`, `optionWords`, … */
  readonly figures: readonly number[];
}

// The pattern matches spaces and tabs only within a line, so a run of line breaks takes linear time.
const optionLine = /\n[ \t]*\(?([A-J])[.)][ \t]+([^\n]*)/g;
const noChoices = [0, 0, 0, 0, 0, 0, 0] as const;

/** Parses the options of a question. Long, similar or numeric options are harder for a model to distinguish. */
export function readOptions(text: string): Choices {
  const found = [...text.matchAll(optionLine)];
  const [first] = found;
  if (first === undefined || found.length < 2) return { stem: text, figures: noChoices };
  const stem = text.slice(0, first.index);
  const wordSets = found.map(([, , option = '']) => wordsOf(option));
  const lengths = wordSets.map((words) => words.length);
  const mean = sum(lengths) / lengths.length;
  const spread = Math.sqrt(sum(lengths.map((length) => (length - mean) ** 2)) / lengths.length);
  const stemWords = new Set(wordsOf(stem));
  const numbers = found.filter(([, , option = '']) => /\d/.test(option) && !/[a-z]/i.test(option)).length;
  const figures = [
    found.length / 4,
    Math.log1p(mean),
    Math.log1p(Math.max(...lengths)),
    spread / (1 + mean),
    numbers / found.length,
    overlapOf(wordSets),
    sum(wordSets.map((words) => shareIn(words, stemWords))) / wordSets.length,
  ];
  return { stem, figures };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9']+/g) ?? [];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function shareIn(words: readonly string[], set: ReadonlySet<string>): number {
  return words.length === 0 ? 0 : words.filter((word) => set.has(word)).length / words.length;
}

/** For the options after the first, the mean share of words that also occur in the first option. */
function overlapOf([first = [], ...rest]: readonly string[][]): number {
  const set = new Set(first);
  return rest.length === 0 ? 0 : sum(rest.map((words) => shareIn(words, set))) / rest.length;
}
