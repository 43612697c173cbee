import type { RecoveryTool } from '../recovery/recovery.ts';

/** In tokens (o200k). Null if a definition was not counted. */
type TokenCounts = readonly (number | null)[];

/** The tools that a plan left out. */
export interface LeftOutTools {
  /** Undefined for a tool without a name. */
  readonly names: readonly (string | undefined)[];
  /** Whether the request has the gateway's recovery tool. */
  readonly hasRecoveryTool: boolean;
  /** The tokens of each tool, and then of the recovery tool if there is one. */
  readonly counts: TokenCounts | Promise<TokenCounts>;
}

/**
 * Measured tokens that leaving out the tools saved: those of the definitions that never reached the model, minus
 * those of the recovery tool. Null if a definition was not counted.
 * @param reached names of the tools that reached the model later
 */
export function sumSavedTokens(
  { names, hasRecoveryTool }: Pick<LeftOutTools, 'names' | 'hasRecoveryTool'>,
  counts: TokenCounts,
  reached: ReadonlySet<string>,
): number | null {
  const spent = hasRecoveryTool ? (counts[names.length] ?? null) : 0;
  if (spent === null) return null;
  let saved = -spent;
  for (const [at, name] of names.entries()) {
    if (name !== undefined && reached.has(name)) continue;
    const count = counts[at] ?? null;
    if (count === null) return null;
    saved += count;
  }
  return saved;
}

/** The recovery tool's definition as text, for counting. Formats differ in a few tokens around it. */
export function renderCounted({ name, description, parameters }: RecoveryTool): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}
