/**
 * Groups of tool sets that are held out of training together. No model ranks a tool set on which it was
 * trained, or a tool set of the same origin. There are seven folds, each with whole families of tool sets. A
 * tool set that is not listed is not part of the training data.
 */
export const folds: readonly (readonly string[])[] = [
  ['bfcl_multiple', 'bfcl_live', 'bfcl_irrelevance', 'bfcl_multi_turn'],
  ['metatool', 'mongodb_mcp', 'github_mcp'],
  ['sealtools', 'apibank'],
  ['toolbench', 'restbench'],
  ['rotbench_clean', 'rotbench_slight', 'rotbench_medium', 'rotbench_heavy'],
  ['toollinkos', 'toolalpaca', 'nestful'],
  ['toolret_apigen', 'toolbank_numpy'],
];

/**
 * Returns the fold with models that were not trained on the tool set. Returns undefined for a tool set that is
 * not part of the training data.
 */
export function foldOf(dataset: string): number | undefined {
  const fold = folds.findIndex((sets) => sets.includes(dataset));
  return fold < 0 ? undefined : fold;
}
