import type { ModelRecordInput } from '@gateway/model-catalog';

/**
 * The page on which Anthropic documents bound reasoning: since Claude Fable 5.1, signed reasoning requires an
 * unchanged prefix.
 */
export const bindingSource = {
  'anthropic-prefix-checks': {
    title: 'https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks',
    licence: 'facts of a public page',
    takenOn: '2026-11',
  },
} as const;

/** The models that the page lists. Hosts write versions with dots or dashes. */
const listed = /claude-(?:(?:fable|mythos)-5[-.][12]|(?:opus|sonnet|haiku)-5[-.]5)/i;

/**
 * The first listed model was released after this date. The date is part of the names of the check's controls.
 */
const bindingSince = '2026-08-01';

/**
 * Whether a model's signed reasoning requires unchanged system text, tools and earlier messages. `assumed`
 * means an unlisted Claude model that was released after `bindingSince` or has no release date. Wrongly
 * assuming bound reasoning costs some pruning; wrongly assuming free reasoning makes a call fail.
 */
export function chooseBinding(
  modelId: string,
  thinking: boolean | null,
  releasedAt: string | null,
): 'listed' | 'assumed' | 'free' {
  if (!/claude/i.test(modelId) || thinking === false) return 'free';
  if (listed.test(modelId)) return 'listed';
  return releasedAt !== null && releasedAt < bindingSince ? 'free' : 'assumed';
}

const listedModels: readonly string[] = [
  'claude-fable-5-2',
  'claude-mythos-5-2',
  'claude-fable-5-1',
  'claude-mythos-5-1',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
];

/** Records for the listed models that no model list contains yet. Unknown facts are null. */
export function renderListedModels(
  provider: string,
  known: ReadonlySet<string>,
): (ModelRecordInput & { prices: null })[] {
  if (provider !== 'anthropic') return [];
  return listedModels
    .filter((modelId) => !known.has(modelId))
    .map((modelId) => ({
      provider,
      modelId,
      formats: ['messages'],
      contextWindow: null,
      maxOutputTokens: null,
      capabilities: {
        tools: null,
        images: null,
        documents: null,
        jsonMode: null,
        streaming: true,
        thinking: true,
      },
      thinkingBinding: true,
      releasedAt: null,
      prices: null,
      cache: null,
      sources: ['anthropic-prefix-checks'],
    }));
}
