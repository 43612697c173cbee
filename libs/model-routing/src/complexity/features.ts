import { readOptions } from './options.ts';

/**
 * Words that indicate the complexity of a request, grouped by grammatical function. The word lists contain
 * only function words and words for calculations. Topic words are excluded. A topic does not indicate
 * complexity, and weights for topic words do not generalize to other topics.
 */
const lists = {
  negation:
    'not no never none neither nor except without cannot nothing false incorrect least unlikely fails',
  condition: 'if unless suppose assume assuming whether provided given whenever otherwise',
  modal: 'would could should might may must will can',
  quantifier: 'all some every each any only both most many few several another other',
  comparison:
    'more less fewer greater larger smaller higher lower than twice times half double triple increase increases increased decrease decreases decreased longer shorter older younger faster same equal',
  number:
    'one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred thousand million dozen third quarter first second fourth fifth once',
  rate: 'per hour hours minute minutes day days week weeks month months year years percent mile miles dollar dollars cost costs price total remaining left rest sum average much spend spends pay pays buys sells earns makes gets gives takes',
  reasoning: 'because therefore thus since hence then so implies follows calculate compute determine why',
  /** Verbs and nouns that refer to work products and proofs. Words for recalling facts are in `recall`. */
  task: 'prove proof derive explain evaluate solve compare analyze analyse design implement optimize optimise refactor debug diagnose argue justify estimate plan architect algorithm theorem complexity rigorous rigorously detailed comprehensive step steps tradeoff tradeoffs trade-offs concurrent concurrency distributed invariant constraints migrate rewrite investigate',
  recall:
    'called known refers term name named define defined definition example described describes means meaning type types considered associated characterized cause causes caused located found',
  truth:
    'true statement statements correct valid argument arguments conclusion premise premises claim claims best likely',
  person: 'he she his her him hers himself herself they their them who whom whose someone man woman boy girl',
  self: 'i me my mine we us our you your',
  linking:
    'the a an of to in is was are were be been being by for on with as at from that this it its and or but which what how when where has have had do does did into about after before during between under over through',
} as const;

type WordClass = keyof typeof lists;

const wordClasses = Object.keys(lists) as readonly WordClass[];

/** Maps a lowercase word to the index of its class. A word belongs to the first class that contains it. */
const classOfWord: ReadonlyMap<string, number> = new Map(
  wordClasses
    .flatMap((name, position) => lists[name].split(' ').map((word) => [word, position] as const))
    .toReversed(),
);

/**
 * Maximum number of characters read from the beginning and the end of a text. The maximum limits the time for
 * processing a text.
 */
const charactersMax = 8_000;

/** Names of counts and shares that do not depend on the topic of a text. */
const counted = [
  ...['characters', 'words', 'sentences', 'lines', 'numbers', 'distinctNumbers', 'decimals', 'years'],
  ...['operators', 'brackets', 'nonAscii', 'symbols', 'letters', 'quotes', 'commas', 'blanks', 'capitals'],
  ...['questions', 'codeMarks', 'percents', 'currency'],
] as const;

const shaped = [
  ...['wordLength', 'longWords', 'sentenceWords', 'distinctWords', 'lastSentenceWords', 'stemWords'],
  ...[
    'options',
    'optionWords',
    'optionWordsMax',
    'optionSpread',
    'optionNumbers',
    'optionOverlap',
    'optionStem',
  ],
] as const;

/** All feature names, in the order of the weights. */
export const featureNames: readonly string[] = [
  ...counted,
  ...counted.slice(4).map((name) => `${name}PerWord`),
  ...shaped,
  ...wordClasses.map((name) => `${name}Words`),
  ...wordClasses.map((name) => `${name}Share`),
];

type Counts = Record<(typeof counted)[number], number>;

const taskClass = wordClasses.indexOf('task');

/** The counts produced by a single pass over a text. */
interface Scan {
  readonly counts: Counts;
  readonly classes: Float64Array;
  readonly distinct: Set<string>;
  readonly distinctNumbers: Set<string>;
  wordCharacters: number;
  longWords: number;
  sentenceWords: number;
  lastSentenceWords: number;
}

/**
 * Computes the features of a text, in the order of `featureNames`. Counts are logarithmic (`ln(1 + n)`), and
 * the other features are shares and means. The training code also calls `extractFeatures`.
 */
export function extractFeatures(whole: string): Float64Array {
  const text = cutMiddle(whole);
  const { stem, figures } = readOptions(text);
  const scan = scanText(text);
  const { counts, classes } = scan;
  // A multiple-choice question only requires a choice, so words that describe larger tasks are not counted.
  if (stem.length < text.length) classes[taskClass] = 0;
  const words = Math.max(1, counts.words);
  const sentences = Math.max(1, counts.sentences);
  const amounts = counted.map((name) => counts[name]);
  return Float64Array.from([
    ...amounts.map(Math.log1p),
    ...amounts.slice(4).map((amount) => amount / words),
    scan.wordCharacters / words,
    scan.longWords / words,
    Math.log1p(counts.words / sentences),
    scan.distinct.size / words,
    Math.log1p(scan.lastSentenceWords),
    Math.log1p(countWords(stem)),
    ...figures,
    ...classes.map(Math.log1p),
    ...classes.map((amount) => amount / words),
  ]);
}

function cutMiddle(text: string): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, charactersMax / 2)}\n${text.slice(-charactersMax / 2)}`;
}

function countWords(text: string): number {
  let count = 0;
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const isSpace = text.charCodeAt(at) <= 32;
    if (inside && isSpace) inside = false;
    else if (!inside && !isSpace) {
      inside = true;
      count += 1;
    }
  }
  return count;
}

const token = /[A-Za-z\u00c0-\u024f]+(?:'[a-z]+)?|\d[\d.,]*|[^\sA-Za-z\u00c0-\u024f\d]|\n/g;

function scanText(text: string): Scan {
  const counts = Object.fromEntries(counted.map((name) => [name, 0])) as Counts;
  const scan: Scan = {
    counts,
    classes: new Float64Array(wordClasses.length),
    distinct: new Set(),
    distinctNumbers: new Set(),
    wordCharacters: 0,
    longWords: 0,
    sentenceWords: 0,
    lastSentenceWords: 0,
  };
  counts.characters = text.length;
  for (const [found] of text.matchAll(token)) {
    const code = found.charCodeAt(0);
    if (isLetter(code)) noteWord(found, code, scan);
    else if (code >= 48 && code <= 57) noteNumber(found, scan);
    else noteMark(found, code, scan);
  }
  if (scan.sentenceWords > 0) endSentence(scan);
  return scan;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || (code >= 0xc0 && code <= 0x24f);
}

function noteWord(word: string, code: number, scan: Scan): void {
  const { counts } = scan;
  const lower = word.toLowerCase();
  counts.words += 1;
  scan.sentenceWords += 1;
  scan.wordCharacters += word.length;
  scan.distinct.add(lower);
  if (word.length > 8) scan.longWords += 1;
  if (word.length === 1 && lower !== 'a' && word !== 'I') counts.letters += 1;
  if (code >= 65 && code <= 90) counts.capitals += 1;
  const position = lower.endsWith("n't") ? 0 : classOfWord.get(lower);
  if (position !== undefined) scan.classes[position] = (scan.classes[position] ?? 0) + 1;
}

function noteNumber(found: string, { counts, distinctNumbers }: Scan): void {
  const number = withoutEnd(found);
  counts.numbers += 1;
  if (!distinctNumbers.has(number)) {
    distinctNumbers.add(number);
    counts.distinctNumbers += 1;
  }
  if (number.includes('.')) counts.decimals += 1;
  if (number.length === 4 && /^(1\d|20)\d\d$/.test(number)) counts.years += 1;
}

/**
 * Strips trailing punctuation from a number. The implementation is a loop, because a regular expression would
 * take quadratic time on long runs of punctuation.
 */
function withoutEnd(found: string): string {
  let end = found.length;
  while (found[end - 1] === '.' || found[end - 1] === ',') end -= 1;
  return found.slice(0, end);
}

/**
 * Pairs each punctuation mark with the name of its count. All punctuation marks are in the Basic Multilingual
 * Plane, so each is a single UTF-16 code unit.
 */
function marksOf(marks: string, name: keyof Counts): (readonly [string, keyof Counts])[] {
  return Array.from(marks, (mark) => [mark, name] as const);
}

/** For each punctuation mark, the count that increases in addition to `symbols`. */
const countOfMark = new Map<string, keyof Counts>([
  ...marksOf('=+*/^<>−×÷±√∑∫', 'operators'),
  ...marksOf('()[]{}', 'brackets'),
  ...marksOf('"“”‘’`', 'quotes'),
  ...marksOf('\\|~#@&∨∧·⊃≡∀∃¬→•', 'codeMarks'),
  ...marksOf('$€£', 'currency'),
  ['%', 'percents'],
  [',', 'commas'],
  [';', 'commas'],
  ['_', 'blanks'],
]);

function noteMark(mark: string, code: number, scan: Scan): void {
  const { counts } = scan;
  if (mark === '\n') counts.lines += 1;
  else if (mark === '.' || mark === '!' || mark === '?') {
    if (mark === '?') counts.questions += 1;
    if (scan.sentenceWords > 1) endSentence(scan);
  } else {
    if (code > 127) counts.nonAscii += 1;
    const name = countOfMark.get(mark);
    if (name !== undefined) counts[name] += 1;
    if (mark !== ',' && mark !== "'" && mark !== '-') counts.symbols += 1;
  }
}

function endSentence(scan: Scan): void {
  scan.counts.sentences += 1;
  scan.lastSentenceWords = scan.sentenceWords;
  scan.sentenceWords = 0;
}
