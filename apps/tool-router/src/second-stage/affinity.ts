import { dot } from './dot.ts';
import { idfOf, type StageList } from './stage-list.ts';

/** The first tools of an order, to which others may belong. */
const leadersMax = 3;

/**
 * How far each tool goes with those that lead: by the vectors' cosine, and by what it is named for being among the
 * parameters that a leader needs (`get_user_id` before `send_message(user_id)`).
 */
export function measureAffinity(
  list: StageList,
  order: Uint32Array,
  { tools, dimensions }: { readonly tools: Float32Array; readonly dimensions: number },
): { affinity_cosine: Float64Array; affinity_parameters: Float64Array } {
  const leaders = [...order.subarray(0, leadersMax)];
  const count = order.length;
  const cosine = new Float64Array(count);
  const parameters = new Float64Array(count);
  for (const leader of leaders) {
    const from = leader * dimensions;
    for (let position = 0; position < count; position += 1) {
      if (position === leader) continue;
      const product = dot(tools, from, tools, position * dimensions, dimensions);
      cosine[position] = Math.max(cosine[position] ?? 0, product);
    }
    takeLarger(parameters, measureSupply(list, leader));
  }
  return { affinity_cosine: cosine, affinity_parameters: parameters };
}

/** The share of each tool's name, by weight, that a leader's parameters name. */
function measureSupply(list: StageList, leader: number): Float64Array {
  const { index, namePostings, nameWeights, parameterTerms } = list;
  const supply = new Float64Array(index.names.length);
  for (const term of parameterTerms[leader] ?? []) {
    const weight = idfOf(index, term);
    for (const position of namePostings.get(term) ?? []) {
      if (position === leader) continue;
      supply[position] = (supply[position] ?? 0) + weight / Math.max(1e-6, nameWeights[position] ?? 0);
    }
  }
  return supply;
}

function takeLarger(best: Float64Array, others: Float64Array): void {
  others.forEach((other, at) => (best[at] = Math.max(best[at] ?? 0, other)));
}
