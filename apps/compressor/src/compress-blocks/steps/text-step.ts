import type { ContextStepName } from '@gateway/contracts';

/** What a step may use in addition to the text. It depends only on the block and on earlier blocks. */
export interface StepContext {
  /** Lower-case words that must be kept: see `criticalTerms`. */
  readonly terms: ReadonlySet<string>;
  /** Stores omitted text and returns the id for its marker. */
  readonly omit: (original: string) => string;
}

/** One way to shorten text. Returns the same text if it finds nothing. */
export interface TextStep {
  readonly name: ContextStepName;
  apply(text: string, context: StepContext): string;
}
