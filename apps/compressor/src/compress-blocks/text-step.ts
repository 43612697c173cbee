/** What a step may look at beside the text. All of it stands before the block, or is the block's own. */
export interface StepContext {
  /** Lower-cased words that have to stay: see `criticalTerms`. */
  readonly terms: ReadonlySet<string>;
  /** Keeps what is left out, and gives the id for its marker. */
  readonly omit: (original: string) => string;
}

/** One way to make a text shorter. Gives the text itself where it finds nothing. */
export interface TextStep {
  readonly name: string;
  apply(text: string, context: StepContext): string;
}
