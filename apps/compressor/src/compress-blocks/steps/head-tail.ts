import { isCriticalLine } from '../../text/critical-terms.ts';
import { estimateTextTokens } from '../../text/estimate-tokens.ts';
import type { TextStep } from './text-step.ts';

/**
 * Tool results up to this size in tokens are not trimmed, because the model's request for the omitted parts
 * would cost more than trimming saves.
 */
const tokensMax = 2_500;
const headTokens = 900;
const tailTokens = 600;
/** Number of characters examined per token of a limit. Nearly every text of this length has more than one token. */
const lookedAtPerToken = 16;
/** Number of lines kept before and after a critical line. */
const around = 2;
/** Minimum number of lines that a marker for omitted text replaces. */
const gapLinesMin = 6;

/** Trims a long tool result to its start, its end, and every critical line with the lines around it. */
export const headTail: TextStep = {
  name: 'head_tail',
  apply(text, { terms, omit }) {
    if (text.length < tokensMax || !isLong(text)) return text;
    const lines = text.split('\n');
    const kept = keptLines(lines, terms);
    const out: string[] = [];
    for (let at = 0; at < lines.length;) {
      let end = at;
      while (end < lines.length && kept[end] === kept[at]) end += 1;
      const run = lines.slice(at, end);
      if (kept[at] === 1 || run.length < gapLinesMin) for (const line of run) out.push(line);
      else out.push(`[… ${run.length} lines left out: ${omit(run.join('\n'))}]`);
      at = end;
    }
    return out.length === lines.length ? text : out.join('\n');
  },
};

/**
 * Returns whether a text exceeds the maximum size of an untrimmed tool result. For most long texts, the estimate for
 * the first part of the text already exceeds the maximum.
 */
function isLong(text: string): boolean {
  const part = Math.min(text.length, tokensMax * lookedAtPerToken);
  if (estimateTextTokens(text, 0, part) > tokensMax) return true;
  return part < text.length && estimateTextTokens(text) > tokensMax;
}

function keptLines(lines: readonly string[], terms: ReadonlySet<string>): Uint8Array {
  const kept = new Uint8Array(lines.length);
  keepEnd(lines, kept, headTokens, 1);
  keepEnd(lines, kept, tailTokens, -1);
  lines.forEach((line, at) => {
    if (kept[at] === 0 && isCriticalLine(line, terms)) kept[at] = 2;
  });
  const matters = Array.from(kept, (value, at) => (value === 2 ? at : -1)).filter((at) => at >= 0);
  for (const at of matters) kept.fill(1, Math.max(0, at - around), at + around + 1);
  return kept;
}

/** Keeps lines from one end of a text, up to a number of tokens. */
function keepEnd(lines: readonly string[], kept: Uint8Array, tokens: number, step: 1 | -1): void {
  let left = tokens;
  for (let at = step === 1 ? 0 : lines.length - 1; at >= 0 && at < lines.length && left > 0; at += step) {
    kept[at] = 1;
    const line = lines[at] ?? '';
    left -= estimateTextTokens(line, 0, Math.min(line.length, tokens * lookedAtPerToken)) + 1;
  }
}
