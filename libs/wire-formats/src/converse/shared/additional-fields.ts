import { isDeepStrictEqual } from 'node:util';
import type { ChatSettings, JsonObject, Loss, ThinkingSetting } from '@gateway/interchange';
import { asNumber, asObject, isEmpty, optional, otherMembers } from '../../json/read-members.ts';

/**
 * Settings for which the Converse API has no field. Some models accept settings in
 * `additionalModelRequestFields`. Claude accepts `thinking` (or `reasoning_config`) and `top_k`, and Nova
 * accepts `inferenceConfig.topK`.
 */
export interface ReadFields {
  readonly settings: Pick<ChatSettings, 'thinking' | 'topK'>;
  /** The additional fields that were not parsed into settings. */
  readonly rest: JsonObject;
  /** Names of the fields that were parsed into settings. */
  readonly spelling: { readonly thinking?: string; readonly topK?: string };
}

const thinkingMembers = ['thinking', 'reasoning_config'] as const;

export function parseAdditionalFields(fields: JsonObject): ReadFields {
  const thinkingMember = thinkingMembers.find((name) => parseThinking(fields[name]) !== undefined);
  const novaTopK = parseNovaTopK(fields.inferenceConfig);
  const topK = asNumber(fields.top_k) ?? novaTopK;
  const topKMember =
    topK === undefined ? undefined : asNumber(fields.top_k) === undefined ? 'inferenceConfig' : 'top_k';
  return {
    settings: {
      ...optional(
        'thinking',
        thinkingMember === undefined ? undefined : parseThinking(fields[thinkingMember]),
      ),
      ...optional('topK', topK),
    },
    rest: otherMembers(fields, [thinkingMember ?? '', topKMember ?? '']),
    spelling: { ...optional('thinking', thinkingMember), ...optional('topK', topKMember) },
  };
}

/**
 * Parses the reasoning settings. Returns undefined for a setting that the interchange cannot express
 * completely.
 */
function parseThinking(raw: unknown): ThinkingSetting | undefined {
  const thinking = asObject(raw);
  if (thinking === undefined) return undefined;
  const setting = {
    enabled: thinking.type !== 'disabled',
    ...optional('budgetTokens', asNumber(thinking.budget_tokens)),
  };
  return isDeepStrictEqual(renderThinking(setting), thinking) ? setting : undefined;
}

/** Claude's API uses the name "adaptive" for reasoning without a token budget. */
function renderThinking({ enabled, budgetTokens }: ThinkingSetting): JsonObject {
  if (!enabled) return { type: 'disabled' };
  return budgetTokens === undefined ? { type: 'adaptive' } : { type: 'enabled', budget_tokens: budgetTokens };
}

function parseNovaTopK(raw: unknown): number | undefined {
  const config = asObject(raw) ?? {};
  return Object.keys(config).length === 1 ? asNumber(config.topK) : undefined;
}

export function renderAdditionalFields(
  { thinking, topK }: ChatSettings,
  read: Pick<ReadFields, 'rest' | 'spelling'>,
  model: string,
  losses: Loss[],
): JsonObject {
  const family = mapModelFamily(model);
  const fields: Record<string, unknown> = { ...read.rest };
  const lose = (field: string): void =>
    void losses.push({ field, reason: 'this model does not support the setting' });
  if (thinking !== undefined) {
    const member = read.spelling.thinking ?? (family === 'anthropic' ? 'thinking' : undefined);
    if (member !== undefined) fields[member] = renderThinking(thinking);
    // Models other than Claude do not reason by default, so no field is needed to turn reasoning off.
    else if (thinking.enabled) lose('thinking');
  }
  if (topK !== undefined) {
    const member = read.spelling.topK ?? (family === 'nova' ? 'inferenceConfig' : family && 'top_k');
    if (member === 'top_k') fields.top_k = topK;
    else if (member === 'inferenceConfig')
      fields.inferenceConfig = { ...asObject(fields.inferenceConfig), topK };
    else lose('top_k');
  }
  return isEmpty(fields) ? {} : { additionalModelRequestFields: fields };
}

/**
 * The vendor of a Bedrock model. The vendor is undefined for vendors that are not listed here and for
 * ARNs without a model name.
 */
type ModelFamily = 'anthropic' | 'nova' | 'mistral';

/**
 * Finds the vendor in a model id. Inference profiles add a prefix to the model id (`us.anthropic.…`), and
 * some ARNs contain the model id.
 */
function mapModelFamily(model: string): ModelFamily | undefined {
  if (/(^|[./])anthropic\.|claude/.test(model)) return 'anthropic';
  if (/(^|[./])amazon\.nova/.test(model)) return 'nova';
  return /(^|[./])mistral\./.test(model) ? 'mistral' : undefined;
}
