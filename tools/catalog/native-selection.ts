import type { ModelRecordInput } from '@gateway/model-catalog';
import type { familySources } from './families/family.ts';

/**
 * The pages on which providers document deferral and tool choice, for the chat formats that the gateway
 * supports.
 */
export const nativeSelectionSources = {
  'openai-function-calling': {
    title: 'https://developers.openai.com/api/docs/guides/function-calling',
    licence: 'facts of a public page',
    takenOn: '2026-11',
  },
} as const;

interface NativeRule {
  readonly provider: string;
  readonly modelId: RegExp;
  readonly native: NonNullable<ModelRecordInput['nativeSelection']>;
  readonly source: keyof typeof nativeSelectionSources | keyof typeof familySources;
}

/**
 * The models for which the gateway uses the provider's own tool selection in the formats chat-completions and
 * messages. OpenAI's tool search is not listed, because only the Responses API supports it.
 */
const rules: readonly NativeRule[] = [
  {
    provider: 'anthropic',
    modelId: /^claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9]|5)|(?:fable|mythos)-5)/,
    native: 'deferred_loading',
    source: 'anthropic-tool-search',
  },
  {
    provider: 'openai',
    modelId: /^gpt-[56](?!.*-chat)/,
    native: 'allowed_tools',
    source: 'openai-function-calling',
  },
];

/** Adds the provider's own tool selection to a model, if the provider supports it for that model. */
export function addNativeSelection<Model extends ModelRecordInput>(record: Model): Model {
  if (record.kind !== undefined && record.kind !== 'chat') return record;
  const rule = rules.find(
    ({ provider, modelId }) => provider === record.provider && modelId.test(record.modelId),
  );
  // A model that accepts no tools on chat-completions cannot use `allowed_tools` on chat-completions.
  const isRefused = rule?.native === 'allowed_tools' && record.toolsOn?.['chat-completions'] === 'no';
  if (rule === undefined || isRefused) return record;
  return {
    ...record,
    nativeSelection: rule.native,
    sources: [...new Set([...record.sources, rule.source])],
  };
}
