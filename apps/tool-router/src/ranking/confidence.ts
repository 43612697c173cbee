/** The best score's share when scores are read as log-odds (softmax), 0 to 1; 0 for none. */
export function shareOfTop(scores: Float64Array, topScore: number): number {
  // Summed by size: the order in which the tools came must not change the last digit.
  const sum = scores.toSorted().reduce((all, score) => all + Math.exp(score - topScore), 0);
  return sum === 0 ? 0 : 1 / sum;
}
