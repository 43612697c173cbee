/**
 * Defines which sets are held out together, so that no model scores a set that it was trained on, or a set of
 * the same origin. There are seven folds, made of whole families. A set that is not
 * listed is not in the training data.
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

/** The fold in which a set is held out. Undefined for a set that is not in the training data. */
export function foldOf(dataset: string): number | undefined {
  const fold = folds.findIndex((sets) => sets.includes(dataset));
  return fold < 0 ? undefined : fold;
}
