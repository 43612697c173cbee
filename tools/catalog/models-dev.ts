import { z } from 'zod';

/** The format of https://models.dev/api.json, and of its variant with shared base models (`base_model`). */
const tree = z.record(z.string(), z.unknown());
const provider = z.looseObject({ models: z.record(z.string(), tree) });
const withBases = z.object({
  base_models: z.record(z.string(), tree),
  providers: z.record(z.string(), provider),
});

const cost = z.looseObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cache_read: z.number().nonnegative().optional(),
  cache_write: z.number().nonnegative().optional(),
  cache_write_1h: z.number().nonnegative().optional(),
  reasoning: z.number().nonnegative().optional(),
});

const model = z.looseObject({
  name: z.string().optional(),
  release_date: z.string().optional(),
  reasoning: z.boolean().optional(),
  tool_call: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  status: z.string().optional(),
  /** Present if the model needs a different library or address than the provider's other models. */
  provider: z.looseObject({ npm: z.string().optional() }).optional(),
  modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
  limit: z
    .looseObject({
      context: z.number().optional(),
      input: z.number().optional(),
      output: z.number().optional(),
    })
    .optional(),
  cost: cost
    .extend({ tiers: z.array(cost.extend({ tier: z.looseObject({ size: z.number() }) })).optional() })
    .optional(),
});

export type ListedModel = z.infer<typeof model>;
export type ListedCost = z.infer<typeof cost>;
export type Tree = z.infer<typeof tree>;

/** Fields of models.dev that the catalogue does not use. Stored lists omit unused fields. */
export const unusedFields: ReadonlySet<string> = new Set(
  (
    'id description attachment family temperature knowledge last_updated open_weights interleaved ' +
    'canonical_model_id experimental weights links license'
  ).split(' '),
);

export interface ModelsDev {
  /**
   * Returns a provider's models by id. The models include the fields of their base models. Returns undefined
   * if the list does not contain the provider.
   */
  modelsOf(provider: string): ReadonlyMap<string, Tree> | undefined;
  /** Returns the maker's entry for a model, by a key of the form `maker/model`. */
  baseOf(name: string): Tree | undefined;
  readonly baseNames: readonly string[];
}

/**
 * Parses a models.dev list in either of its two formats.
 * @throws ZodError
 */
export function parseModelsDev(content: unknown): ModelsDev {
  const shared = withBases.safeParse(content);
  const bases = shared.success ? shared.data.base_models : {};
  const providers = shared.success ? shared.data.providers : z.record(z.string(), provider).parse(content);
  return {
    baseNames: Object.keys(bases),
    baseOf: (name) => (Object.hasOwn(bases, name) ? bases[name] : undefined),
    modelsOf: (name) => {
      const found = providers[name];
      if (found === undefined) return undefined;
      return new Map(Object.entries(found.models).map(([id, own]) => [id, inherit(own, bases)]));
    },
  };
}

/** Parses a single model from a list in the models.dev format. */
export function parseListedModel(own: Tree): z.ZodSafeParseResult<ListedModel> {
  return model.safeParse(own);
}

/**
 * A model's own fields take precedence over the fields of its base model. `base_model_omit` lists the fields
 * (as dotted paths) that the model does not inherit.
 */
function inherit(own: Tree, bases: Record<string, Tree>): Tree {
  const { base_model: baseName, base_model_omit: omitted, ...fields } = own;
  if (typeof baseName !== 'string') return fields;
  const base = structuredClone(bases[baseName] ?? {});
  for (const path of z.array(z.string()).catch([]).parse(omitted)) deletePath(base, path.split('.'));
  return merge(base, fields);
}

function merge(base: Tree, own: Tree): Tree {
  const merged = { ...base };
  for (const [key, value] of Object.entries(own)) {
    const under = merged[key];
    merged[key] = isTree(under) && isTree(value) ? merge(under, value) : value;
  }
  return merged;
}

function deletePath(from: Tree, [key, ...rest]: readonly string[]): void {
  if (key === undefined) return;
  const inner = from[key];
  if (rest.length === 0) Reflect.deleteProperty(from, key);
  else if (isTree(inner)) deletePath(inner, rest);
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
