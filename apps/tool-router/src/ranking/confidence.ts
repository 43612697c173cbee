/** The best score's share when scores are read as log-odds (softmax), 0 to 1; 0 for none. */
export function shareOfTop(scores: Float64Array, topScore: number): number {
  let sum = 0;
  for (const score of scores) sum += Math.exp(score - topScore);
  return sum === 0 ? 0 : 1 / sum;
}
