import { isCriticalLine } from '../../text/critical-terms.ts';
import type { StepContext, TextStep } from './text-step.ts';

/** Minimum number of consecutive similar lines that are folded. */
const linesMin = 5;
const lineLengthMax = 400;

/**
 * Folds consecutive lines that differ only in numbers, and keeps the first and last line. If a run of similar
 * lines contains a critical line, the whole run is kept.
 */
export const logFolding: TextStep = {
  name: 'log_folding',
  apply(text, context) {
    const lines = text.split('\n');
    if (lines.length < linesMin) return text;
    const out: string[] = [];
    let start = 0;
    while (start < lines.length) {
      const shape = shapeOf(lines[start] ?? '');
      let end = start + 1;
      while (shape !== '' && end < lines.length && shapeOf(lines[end] ?? '') === shape) end += 1;
      foldRun(lines.slice(start, end), context, out);
      start = end;
    }
    return out.length === lines.length ? text : out.join('\n');
  },
};

function foldRun(run: readonly string[], context: StepContext, out: string[]): void {
  const isKept = run.length < linesMin || run.some((line) => isCriticalLine(line, context.terms));
  if (isKept) {
    for (const line of run) out.push(line);
    return;
  }
  const between = run.slice(1, -1);
  out.push(
    run[0] ?? '',
    `[… ${between.length} lines like these left out: ${context.omit(between.join('\n'))}]`,
  );
  out.push(run.at(-1) ?? '');
}

/**
 * Masks the numbers in a log line, such as times, counters and addresses. Returns an empty string for a line that
 * does not look like a log line.
 */
function shapeOf(line: string): string {
  if (line.length > lineLengthMax || line.trim().length < 12) return '';
  return line.replace(/0x[0-9a-fA-F]+|\d+/g, '0').replace(/[0-9a-f]{8,}/g, '0');
}
