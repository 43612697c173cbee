import type { RecoveryTool } from '../recovery/recovery.ts';

/**
 * Token counts of tool definitions, counted with the o200k tokenizer. A token count is null if the tokens of
 * the definition were not counted.
 */
type TokenCounts = readonly (number | null)[];

/** The tools that a plan left out. */
export interface LeftOutTools {
  /** The names of the tools that the plan left out. Contains undefined for each tool without a name. */
  readonly names: readonly (string | undefined)[];
  /** Whether the request contains the gateway's recovery tool. */
  readonly hasRecoveryTool: boolean;
  /**
   * The token counts of the tools, followed by the token count of the recovery tool if the request contains a
   * recovery tool.
   */
  readonly counts: TokenCounts | Promise<TokenCounts>;
}

/**
 * Returns the measured number of tokens that pruning saved. The tokens of the recovery tool are subtracted
 * from the tokens of the definitions that never reached the model. Null if the tokens of a definition were
 * not counted.
 * @param reached names of the tools that reached the model after the first request
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

/**
 * Renders the recovery tool's definition as text, so that the tokens of the definition can be counted. The
 * actual token count varies by a few tokens between formats.
 */
export function renderCounted({ name, description, parameters }: RecoveryTool): string {
  return JSON.stringify({ type: 'function', function: { name, description, parameters } });
}
