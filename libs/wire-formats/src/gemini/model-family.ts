/**
 * The generation of a Gemini model, by its name: 2, 2.5, 3. A name that does not say it (`gemini-flash-latest`, a tuned
 * model) is taken for a new one.
 */
export function readGeneration(model: string): number {
  const match = /gemini-(\d+(?:\.\d+)?)/.exec(model);
  return match?.[1] === undefined ? Number.POSITIVE_INFINITY : Number(match[1]);
}
