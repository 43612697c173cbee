const space = 0;
const letter = 1;
const digit = 2;
const punctuation = 3;
const wide = 4;
const newline = 5;

/** By class: UTF-16 units of a run that make a token, about. A run of white space is one, however long. */
const unitsPerToken = Float64Array.of(Infinity, 7, 3, 3, 1.3, Infinity);

const classByUnit = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit === 0x0a || unit === 0x0d) return newline;
  if (unit === 0x20 || unit === 0x09 || unit === 0x0b || unit === 0x0c) return space;
  const character = String.fromCharCode(unit);
  if (/[a-zA-Z]/.test(character)) return letter;
  return /\d/.test(character) ? digit : punctuation;
});

/**
 * About how many tokens a text is, from one look at each character: runs of letters, digits, punctuation and characters
 * beyond ASCII cost by their length, a run of white space one, a single space nothing (it goes with its word).
 * `npm run eval:compression` prints how far it is from o200k.
 */
export function estimateTextTokens(text: string, from = 0, to = text.length): number {
  let tokens = 0;
  let start = from;
  while (start < to) {
    const kind = classOf(text.charCodeAt(start));
    let end = start + 1;
    while (end < to && classOf(text.charCodeAt(end)) === kind) end += 1;
    const units = end - start;
    if (kind === space) tokens += units === 1 ? 0 : 1;
    else if (kind === newline) tokens += 1;
    else tokens += Math.ceil(units / (unitsPerToken[kind] as number));
    start = end;
  }
  return tokens;
}

function classOf(unit: number): number {
  return unit < 128 ? (classByUnit[unit] as number) : wide;
}
