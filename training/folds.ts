/**
 * Groups of tool sets that are held out together. No model scores a tool set on which it was trained, or a
 * tool set of the same origin. There are seven folds, and each fold consists of whole families of tool sets.
 * A tool set that is not listed is not part of the training data.
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
 * Returns the fold that holds out a tool set. Returns undefined if the tool set is not part of the training
 * data.
 */
export function foldOf(dataset: string): number | undefined {
  const fold = folds.findIndex((sets) => sets.includes(dataset));
  return fold < 0 ? undefined : fold;
}
