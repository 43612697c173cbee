/**
 * Which sets are held out together, so that no model scores a set that it or a set of the same origin was fitted on:
 * whole families, six of about equal weight. A set that is not named here is none that anything was trained on.
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

/** The fold in which a set is held out; undefined for a set that no model was fitted on. */
export function foldOf(dataset: string): number | undefined {
  const fold = folds.findIndex((sets) => sets.includes(dataset));
  return fold < 0 ? undefined : fold;
}
