import type { ModelRecordInput } from '@gateway/model-catalog';

/** What Anthropic says of signed thinking: from Claude Fable 5.1 on it is bound to all that stands before it. */
export const bindingSource = {
  'anthropic-prefix-checks': {
    title: 'https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks',
    licence: 'facts of a public page',
    takenOn: '2026-11',
  },
} as const;

/** The models that the page lists. Hosts write their versions with dots or dashes. */
const listed = /claude-(?:(?:fable|mythos)-5[-.][12]|(?:opus|sonnet|haiku)-5[-.]5)/i;

/** The first of them is newer than this: the controls of the check are named after the day. */
const bindingSince = '2026-08-01';

/**
 * Whether a model binds its signed thinking to system, tools and earlier messages. `assumed` is for a Claude that is
 * newer than the first that does, or of unknown age, and not listed: a wrong "bound" costs some pruning, a wrong
 * "free" a failed call.
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

/** Records of the listed models that no list of models has yet: what it would say of them is null. */
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
