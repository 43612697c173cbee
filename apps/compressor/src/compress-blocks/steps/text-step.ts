import type { ContextStepName } from '@gateway/contracts';

/** What a step may use in addition to the text. All of it depends only on the block and on earlier blocks. */
export interface StepContext {
  /** Lower-case words that must be kept: see `criticalTerms`. */
  readonly terms: ReadonlySet<string>;
  /** Stores omitted text and returns the id for its marker. */
  readonly omit: (original: string) => string;
}

/** One way to shorten text. Returns the text unchanged if it finds nothing to shorten. */
export interface TextStep {
  readonly name: ContextStepName;
  apply(text: string, context: StepContext): string;
}
