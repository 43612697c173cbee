import { z } from 'zod';
import { isTree, type Tree } from './models-dev.ts';

const rates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

/**
 * A chat model in the npm package. All chat models in the package can call tools. A price of zero means that
 * the price is unknown.
 */
const packageModel = z.object({
  id: z.string(),
  name: z.string(),
  reasoning: z.boolean(),
  input: z.array(z.string()),
  cost: rates.extend({ tiers: z.array(rates.extend({ inputTokensAbove: z.number() })).optional() }),
  contextWindow: z.number(),
  maxTokens: z.number(),
});
const anyModel = z.looseObject({ type: z.string().optional() });
const packageProviders = z.record(z.string(), z.record(z.string(), z.record(z.string(), anyModel)));
const storedList = z.strictObject({
  version: z.string(),
  takenOn: z.iso.date(),
  providers: z.record(z.string(), z.record(z.string(), packageModel)),
});

type PackageModel = z.infer<typeof packageModel>;

export interface PackageList {
  /** The chat models of a provider, by the provider's key in models.dev. */
  readonly modelsOf: (listKey: string) => ReadonlyMap<string, PackageModel>;
}

/** The package's provider names, for providers that have a different name in models.dev. */
const packageNames: Readonly<Record<string, string>> = {
  togetherai: 'together',
  'fireworks-ai': 'fireworks',
};

/**
 * Providers for which the package lists no real prices. Azure lists OpenAI's prices, and Nvidia lists its
 * models as free.
 */
const unpricedProviders: ReadonlySet<string> = new Set(['azure', 'nvidia']);

/**
 * The stored copy of the npm package's model list. The copy records the package version, and the day on which
 * the package's prices were collected.
 */
export interface StoredPackageList extends PackageList {
  readonly version: string;
  readonly takenOn: string;
}

/**
 * Parses `lists/pi-ai.json`.
 * @throws ZodError
 */
export function parsePackageList(content: unknown): StoredPackageList {
  const { version, takenOn, providers } = storedList.parse(content);
  return {
    version,
    takenOn,
    modelsOf: (listKey) => new Map(Object.entries(providers[listKey] ?? {})),
  };
}

/**
 * Parses the data files of @earendil-works/pi-ai, which list models by provider, API and id.
 * @throws ZodError
 */
export function parsePackage(content: unknown): PackageList {
  const providers = packageProviders.parse(content);
  return {
    modelsOf: (listKey) => {
      if (unpricedProviders.has(listKey)) return new Map();
      const apis = Object.values(providers[packageNames[listKey] ?? listKey] ?? {});
      const models = apis
        .flatMap((api) => Object.values(api))
        .filter(({ type }) => type === undefined || type === 'chat')
        .map((model) => packageModel.parse(model));
      return new Map(models.map((model) => [model.id, model]));
    },
  };
}

/**
 * Merges a model in the package into the model's models.dev entry. The package's prices replace older prices,
 * and all other facts stay unchanged. A model without an entry gets an entry in the models.dev format.
 */
export function overlayPackageModel(own: Tree | undefined, model: PackageModel): Tree {
  const cost = mapCost(model);
  if (own !== undefined) {
    if (cost === undefined) return own;
    const { tiers, ...before } = isTree(own['cost']) ? own['cost'] : {};
    Reflect.deleteProperty(before, 'context_over_200k');
    // Older price tiers are kept only if the base price has not changed.
    const isSame = before['input'] === cost['input'] && before['output'] === cost['output'];
    return { ...own, cost: { ...before, ...(isSame && tiers !== undefined && { tiers }), ...cost } };
  }
  return {
    name: model.name,
    reasoning: model.reasoning,
    tool_call: true,
    modalities: { input: model.input, output: ['text'] },
    limit: { context: model.contextWindow, output: model.maxTokens },
    ...(cost && { cost }),
  };
}

function mapCost({ id, cost }: PackageModel): Tree | undefined {
  if (cost.input === 0 && cost.output === 0)
    return id.endsWith(':free') ? { input: 0, output: 0 } : undefined;
  const tiers = (cost.tiers ?? []).map((tier) => ({
    ...mapRates(tier),
    tier: { type: 'context', size: tier.inputTokensAbove },
  }));
  return { ...mapRates(cost), ...(tiers.length > 0 && { tiers }) };
}

function mapRates({ input, output, cacheRead, cacheWrite }: z.infer<typeof rates>): Tree {
  return {
    input,
    output,
    ...(cacheRead > 0 && { cache_read: cacheRead }),
    ...(cacheWrite > 0 && { cache_write: cacheWrite }),
  };
}
