import type { ContextStepName } from '@gateway/contracts';

/**
 * The input of a step in addition to the text. These values depend only on the block and on earlier blocks.
 */
export interface StepContext {
  /** Lower-case words that must be kept: see `criticalTerms`. */
  readonly terms: ReadonlySet<string>;
  /** Stores omitted text and returns the id for its marker. */
  readonly omit: (original: string) => string;
}

/** A method to shorten text. Returns the text unchanged if the step cannot shorten it. */
export interface TextStep {
  readonly name: ContextStepName;
  apply(text: string, context: StepContext): string;
}
