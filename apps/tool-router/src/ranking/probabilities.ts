/** Differences of logits smaller than this are those of processors, not of tools. */
const logitStep = 1e-4;

/** Softmax over a list's logits. Summed by size, so that the order of the tools cannot change the last digit. */
export function probabilitiesOf(logits: Float64Array): Float64Array {
  const rounded = logits.map((logit) => Math.round(logit / logitStep) * logitStep);
  const sorted = rounded.toSorted();
  const top = sorted.at(-1) ?? 0;
  const sum = sorted.reduce((all, logit) => all + Math.exp(logit - top), 0);
  return rounded.map((logit) => Math.exp(logit - top) / sum);
}
