/**
 * Maps the configuration of LiteLLM's proxy to requests of the account API. The fields are described on
 * https://docs.litellm.ai/docs/proxy/config_settings.
 */
import { z } from 'zod';
import { addModel, declareAlias, modelEntry, note, type Draft, type Unmapped } from './plan-model.ts';

/** A request of the account API. A secret may be a reference to a variable, as `os.environ/NAME`. */
export interface ImportStep {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const section = z.record(z.string(), z.unknown()).nullish();
const configuration = z.looseObject({
  model_list: z.array(modelEntry).default([]),
  litellm_settings: section,
  router_settings: section,
});

const reasons: Readonly<Record<string, string>> = {
  'general_settings.master_key': 'Create API keys with POST /v1/account/keys.',
  'general_settings.database_url': 'The gateway has its own databases.',
  'router_settings.routing_strategy': 'The routing preferences choose the mode of svc/auto.',
  'router_settings.num_retries': 'The operator sets UPSTREAM_RETRIES_MAX.',
  'litellm_settings.num_retries': 'The operator sets UPSTREAM_RETRIES_MAX.',
  'litellm_settings.request_timeout': 'The operator sets UPSTREAM_TIMEOUT_MS.',
  'litellm_settings.drop_params':
    'The gateway leaves out what a format cannot express, and names it in x-svc-losses.',
};
const noCounterpart = 'The gateway has no such setting.';

/** Returns the requests in their order, and every field that the requests do not express. */
export function planImport(parsed: unknown): { steps: ImportStep[]; unmapped: readonly Unmapped[] } {
  const config = configuration.parse(parsed);
  const draft: Draft = { connections: new Map(), models: new Map(), names: new Map(), unmapped: [] };
  for (const [at, entry] of config.model_list.entries()) addModel(draft, entry, `model_list[${at}]`);
  const { router_settings: router, litellm_settings: settings } = config;
  addGroupAliases(draft, router?.['model_group_alias']);
  const fallbacks = chooseFallbacks(draft, { router_settings: router, litellm_settings: settings });
  const known = new Set(['fallbacks', 'default_fallbacks', 'model_group_alias']);
  for (const [name, value] of Object.entries(config).filter(([each]) => each !== 'model_list')) {
    const fields = section.safeParse(value).data ?? {};
    for (const field of Object.keys(fields).filter((each) => name === 'general_settings' || !known.has(each)))
      note(draft, `${name}.${field}`, reasons[`${name}.${field}`] ?? noCounterpart);
  }
  const steps: ImportStep[] = [
    ...[...draft.connections.values()].map((body) => ({ path: '/v1/account/providers', body })),
    ...[...draft.models].map(([id, body]) => ({ path: `/v1/account/models/${id}`, body })),
    ...(fallbacks.length === 0 ? [] : [{ path: '/v1/account/routing/preferences', body: { fallbacks } }]),
  ];
  return { steps, unmapped: draft.unmapped };
}

function addGroupAliases(draft: Draft, given: unknown): void {
  const aliases = z.record(z.string(), z.unknown()).nullish().parse(given) ?? {};
  for (const [alias, target] of Object.entries(aliases)) {
    const id = typeof target === 'string' ? draft.names.get(target) : undefined;
    const field = `router_settings.model_group_alias.${alias}`;
    if (id === undefined) note(draft, field, 'The alias does not name a model of model_list.');
    else declareAlias(draft, id, alias);
  }
}

type Sections = Readonly<Record<string, z.output<typeof section>>>;

/** LiteLLM has fallbacks for each model. The gateway has one list, so all models must have the same fallbacks. */
function chooseFallbacks(draft: Draft, sections: Sections): string[] {
  const lists = Object.entries(sections).flatMap(([name, fields]) => [
    ...z
      .array(z.record(z.string(), z.array(z.string())))
      .parse(fields?.['fallbacks'] ?? [])
      .flatMap((each) => Object.entries(each))
      .map(([model, names]) => ({ field: `${name}.fallbacks.${model}`, names })),
    ...(fields?.['default_fallbacks'] == null
      ? []
      : [
          {
            field: `${name}.default_fallbacks`,
            names: z.array(z.string()).parse(fields['default_fallbacks']),
          },
        ]),
  ]);
  const [first, ...others] = lists;
  for (const { field } of others.filter(({ names }) => names.join() !== first?.names.join()))
    note(draft, field, 'The gateway has one list of fallbacks, and the first list of the file sets it.');
  return (first?.names ?? []).flatMap((name) => {
    const id = draft.names.get(name);
    if (id === undefined) note(draft, first?.field ?? '', `The fallback ${name} is not in model_list.`);
    return id === undefined ? [] : [id];
  });
}
