import type { ModelFacts } from './fact-list.ts';
import { isTree, type Tree } from './models-dev.ts';

/**
 * Merges a model's line in the fact list into the model's models.dev entry. If both have a value, the value
 * from the fact list is used. The merged entry has the format of models.dev.
 */
export function overlayFacts(own: Tree | undefined, fact: ModelFacts): Tree {
  const limit = withoutNull({ context: fact.context, input: fact.max_input, output: fact.max_output });
  // For some providers, models.dev lists a base URL that does not serve the converse format.
  // If the host serves the converse format (according to the fact list), the merged entry has no base URL.
  const { provider, ...listed } = own ?? {};
  return {
    ...listed,
    ...(provider !== undefined && fact.apis?.includes('converse') !== true && { provider }),
    ...withoutNull({
      name: fact.name,
      release_date: fact.release_date,
      reasoning: fact.thinks,
      tool_call: fact.tools,
    }),
    ...(Object.keys(limit).length > 0 && { limit: { ...treeOf(own?.['limit']), ...limit } }),
    ...(fact.prices && { cost: { ...reasoningOf(own, fact.prices.output), ...mapCost(fact.prices) } }),
    ...(fact.deprecated === true && { status: 'deprecated' }),
  };
}

function mapCost({
  input,
  output,
  cache_read,
  cache_write,
  cache_write_5m,
  cache_write_1h,
  tiers,
}: NonNullable<ModelFacts['prices']>): Tree {
  return {
    input,
    output,
    ...withoutNull({ cache_read, cache_write: cache_write_5m ?? cache_write, cache_write_1h }),
    ...(tiers && {
      tiers: tiers.map(({ above_input_tokens: size, ...rates }) => ({
        ...withoutNull(rates),
        tier: { type: 'context', size },
      })),
    }),
  };
}

/**
 * The fact list contains no reasoning prices. The old reasoning price is kept if the output price has not
 * changed.
 */
function reasoningOf(own: Tree | undefined, newOutput: number): Tree {
  const { reasoning, output } = treeOf(own?.['cost']);
  return reasoning === undefined || output !== newOutput ? {} : { reasoning };
}

function withoutNull(fields: Tree): Tree {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function treeOf(value: unknown): Tree {
  return isTree(value) ? value : {};
}
