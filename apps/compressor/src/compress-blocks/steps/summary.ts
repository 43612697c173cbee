import { cutText } from '../../text/cut-text.ts';
import { isCriticalLine } from '../../text/critical-terms.ts';
import { estimateTextTokens } from '../../text/estimate-tokens.ts';
import type { TextStep } from './text-step.ts';

/** Minimum size of a summarized tool result, in tokens. Shorter tool results are not summarized. */
const tokensMin = 400;
const headParts = 3;
const tailParts = 2;
/** Maximum share of a tool result's tokens for critical lines outside its start and end. */
const shareMax = 0.2;
const linesMin = 8;
/** Length at which a text with few lines is cut. The cut moves to a JSON or sentence boundary that follows soon. */
const pieceLength = 160;
const partShownMax = 240;
/** The start of the marker in a summary. A text that contains the start of the marker is already a summary. */
const marker = '[… a summary;';

/**
 * Reduces an old tool result to its start, its end and its critical lines, in order. A single marker replaces all
 * omitted text.
 */
export const summary: TextStep = {
  name: 'summary',
  apply(text, { terms, omit }) {
    const tokens = estimateTextTokens(text);
    if (tokens < tokensMin || text.includes(marker)) return text;
    const parts = cutParts(text);
    const kept = chooseParts(parts, terms, tokens * shareMax);
    const out: string[] = [];
    for (const [at, part] of parts.entries()) {
      if (kept[at] === 1) out.push(cutText(part, 0, partShownMax));
      else if (out.at(-1) !== '…') out.push('…');
    }
    out.push(`${marker} ${text.length} characters left out: ${omit(text)}]`);
    return out.join('\n');
  },
};

function cutParts(text: string): string[] {
  const lines = text.split('\n');
  if (lines.length >= linesMin) return lines;
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    const after = text.slice(start + pieceLength, start + 2 * pieceLength);
    const found = after.search(/[,}\]\n]|\. /);
    const end = start + pieceLength + (found < 0 ? 0 : found + 1);
    parts.push(cutText(text, start, Math.min(end, text.length)));
    start = end;
  }
  return parts;
}

function chooseParts(parts: readonly string[], terms: ReadonlySet<string>, tokensMax: number): Uint8Array {
  const kept = new Uint8Array(parts.length);
  kept.fill(1, 0, headParts);
  kept.fill(1, Math.max(0, parts.length - tailParts));
  let left = tokensMax;
  for (const [at, part] of parts.entries()) {
    if (left <= 0) break;
    if (kept[at] === 1 || !isCriticalLine(part, terms)) continue;
    kept[at] = 1;
    left -= estimateTextTokens(part, 0, Math.min(part.length, partShownMax)) + 1;
  }
  return kept;
}
