import type { ContextStepName } from '@gateway/contracts';

/** What a step may use in addition to the text. It depends only on the block and on earlier blocks. */
export interface StepContext {
  /** Lower-cased words that have to stay: see `criticalTerms`. */
  readonly terms: ReadonlySet<string>;
  /** Keeps what is left out, and gives the id for its marker. */
  readonly omit: (original: string) => string;
}

/** One way to make a text shorter. Gives the text itself where it finds nothing. */
export interface TextStep {
  readonly name: ContextStepName;
  apply(text: string, context: StepContext): string;
}
