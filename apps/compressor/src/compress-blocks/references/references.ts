import { cutText } from '../../text/cut-text.ts';

/** Maximum length of a label in a reference, in characters. */
const labelLength = 40;
/**
 * Maximum length of a line that is parsed as a reference. Even references with two labels are shorter. Longer lines
 * are not parsed, because the regular expressions take quadratic time on a long line that begins like a reference.
 */
const referenceLengthMax = 256;

/** Control characters and line separators, which make a label hard to read. */
const unclear = /[\p{Cc}\u2028\u2029]/u;
/** Matches a line number at the start of a line. The pattern excludes times of day. */
const numberedLine = /^ *(\d{1,7})(?:[|\t]|:(?!\d\d))/;

/**
 * The label by which a reference identifies a line. In a numbered view of a file, the label is the line's
 * number. In all other texts, the label consists of the first characters of the line. Undefined if the line
 * is too short, or if its label would make the reference hard to read.
 */
export function labelOf(line: string): string | undefined {
  const number = numberedLine.exec(line)?.[1];
  if (number !== undefined) return `#${number}`;
  const label = cutText(line.trim(), 0, labelLength).trimEnd();
  const isClear = label.length >= 3 && !unclear.test(label) && !label.includes('" to "');
  return isClear && !label.startsWith('#') ? label : undefined;
}

/** Renders a reference to a run of lines. Undefined if the first or last line has no label. */
export function renderRunReference(
  first: string | undefined,
  last: string | undefined,
  count: number,
): string | undefined {
  if (first === undefined || last === undefined) return undefined;
  if (first.startsWith('#') || last.startsWith('#')) {
    const isCounted = Number(last.slice(1)) - Number(first.slice(1)) === count - 1;
    return first.startsWith('#') && last.startsWith('#') && isCounted
      ? `[lines ${first.slice(1)}-${last.slice(1)} as above]`
      : undefined;
  }
  return count === 1 ? `[as above: "${first}…"]` : `[${count} lines as above, from "${first}" to "${last}"]`;
}

/**
 * Renders a reference to a whole block. If several blocks have the same label, the parameter `place` is the
 * number of the block, starting at 1.
 */
export function renderBlockReference(label: string, place: number): string {
  return `[same as above: "${label}…"${place === 1 ? '' : ` (no. ${place})`}]`;
}

export type Reference =
  | { readonly kind: 'run'; readonly first: string; readonly last: string; readonly count: number }
  | { readonly kind: 'block'; readonly label: string; readonly place: number };

const betweenEnds = '" to "';

/** Parses a reference. Returns undefined if the line is not a reference. */
export function parseReference(line: string): Reference | undefined {
  if (line.length > referenceLengthMax) return undefined;
  const numbers = /^\[lines (\d+)-(\d+) as above\]$/.exec(line);
  if (numbers) {
    const [, from = '', to = ''] = numbers;
    return { kind: 'run', first: `#${from}`, last: `#${to}`, count: Number(to) - Number(from) + 1 };
  }
  const run = /^\[(\d+) lines as above, from "(.*)"\]$/.exec(line);
  const ends = run?.[2] ?? '';
  // The code finds the last separator without a regular expression, which would try every separator.
  const between = ends.lastIndexOf(betweenEnds);
  if (run && between >= 0) {
    const last = ends.slice(between + betweenEnds.length);
    return { kind: 'run', count: Number(run[1]), first: ends.slice(0, between), last };
  }
  const one = /^\[as above: "(.*)…"\]$/.exec(line);
  if (one) return { kind: 'run', count: 1, first: one[1] ?? '', last: one[1] ?? '' };
  const block = /^\[same as above: "(.*)…"(?: \(no\. (\d+)\))?\]$/.exec(line);
  return block ? { kind: 'block', label: block[1] ?? '', place: Number(block[2] ?? 1) } : undefined;
}

/**
 * Returns a block's label, which is the start of the first line. Undefined if the label would be hard to
 * read.
 */
export function blockLabelOf(text: string): string | undefined {
  const [firstLine = ''] = text.trimStart().split('\n', 1);
  const label = cutText(firstLine, 0, labelLength).trimEnd();
  return label === '' || unclear.test(label) ? undefined : label;
}
