import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface LintText {
  /** The path in the repository under which the code is linted. */
  readonly path: string;
  readonly code: string;
}

export interface LintResult {
  readonly path: string;
  readonly messages: readonly {
    readonly ruleId: string | null;
    readonly message: string;
    readonly line: number;
  }[];
}

const script = join(import.meta.dirname, 'lint-as.mjs');

/**
 * Lints code strings. Each code string is treated as a file at its path. Returns one result per code string,
 * in order.
 */
export function lintAs(texts: readonly LintText[]): LintResult[] {
  const output = execFileSync(process.execPath, [script], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output) as LintResult[];
}
