import type { ContextStepName } from '@gateway/contracts';

/**
 * The inputs of a compression step other than the text. A step context depends only on the block and on
 * earlier blocks.
 */
export interface StepContext {
  /** Lower-case words that must be kept, as returned by `criticalTerms`. */
  readonly terms: ReadonlySet<string>;
  /** Stores omitted text, and returns the id for its marker. */
  readonly omit: (original: string) => string;
}

/** A compression step that shortens text. Returns the text unchanged if the step cannot shorten it. */
export interface TextStep {
  readonly name: ContextStepName;
  apply(text: string, context: StepContext): string;
}
