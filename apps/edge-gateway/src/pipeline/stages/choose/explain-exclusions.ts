import type { Excluded, ExclusionRule } from '@gateway/model-routing';

/** The explanation for each exclusion rule. */
const texts: Readonly<Record<ExclusionRule, string>> = {
  provider_not_allowed: 'not among allowed_providers',
  turned_off: 'turned off for automatic routing',
  sandbox: 'the sandbox is chosen only if no other provider is connected',
  own_deployments: "Azure's deployments are chosen only if allowed_providers contains azure",
  retired: 'retired by the provider',
  deprecated: 'about to be retired by the provider',
  other_region: "bound to a region that may not be the connection's",
  above_max_cost: 'above max_cost_usd_per_mtok',
  price_unknown: 'price unknown while max_cost_usd_per_mtok is set',
  no_tools: 'cannot call tools',
  no_images: 'cannot read images',
  no_documents: 'cannot read documents',
  no_json_mode: 'no JSON mode',
  no_streaming: 'cannot stream',
  no_thinking: 'cannot think',
  context_too_short: 'context window too short',
  output_too_short: 'cannot answer at the length asked for',
  session_bound: 'not the model that signed the reasoning in the transcript',
};

/** Max number of model names in an error message, to keep it readable. */
const namesMax = 400;

/** Lists the models that each rule excludes, for example `turned_off (turned off …): openai/gpt-4o, …`. */
export function explainExclusions(excluded: readonly Excluded[]): string {
  const byRule = new Map<ExclusionRule, string[]>();
  for (const { id, rule } of excluded.slice(0, namesMax)) {
    const ids = byRule.get(rule);
    if (ids === undefined) byRule.set(rule, [id]);
    else ids.push(id);
  }
  const parts = [...byRule].map(([rule, ids]) => `${rule} (${texts[rule]}): ${ids.join(', ')}.`);
  const more = excluded.length - namesMax;
  return [...parts, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
