/**
 * Says how much each line of a result matters to what is asked, by a learned model. `isCriticalLine` says it by rule, and is what the
 * steps ask; a model may take its place where it earns its milliseconds. `npm run bench:compressor` measures what one costs.
 *
 * A step's outcome has to be the same bytes on every replica: a score may decide only with a margin that differences between
 * processors do not reach.
 */
export interface LineScorer {
  /** One for each line, the higher the more it matters. */
  score(question: string, lines: readonly string[]): Promise<Float32Array>;
  release(): Promise<void>;
}
