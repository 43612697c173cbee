import type { ModelRecordInput } from '@gateway/model-catalog';

type Facts = Pick<
  ModelRecordInput,
  'toolsOn' | 'thinksByDefault' | 'thinkingOff' | 'binding' | 'defersOn' | 'addsToolsOn'
>;
type Evidence = NonNullable<ModelRecordInput['evidence']>;
export type Confidence = NonNullable<Evidence['binding']>['confidence'];

/** Facts about a model family. Facts without an entry in `evidence` come from the provider's documentation. */
export interface FamilyFacts extends Facts {
  readonly evidence: Evidence;
  /** The provider caches every prompt prefix, even if no source lists a price for cache reads. */
  readonly cachesAlways?: true;
  readonly cacheMinTokens?: number;
  /** Minimum time in seconds for which the provider keeps an unused prefix in its cache. */
  readonly cacheTtlSeconds?: number;
  /** Price of a one-hour cache write, divided by the input price. */
  readonly write1h?: number;
  /** Price of a cache write divided by the input price, for models without a listed write price. */
  readonly write?: number;
  readonly sources: readonly (keyof typeof familySources)[];
}

const page = (title: string, takenOn: string) => ({ title, licence: 'facts of a public page', takenOn });

/** The documentation pages with the facts about model families. */
export const familySources = {
  'anthropic-prefix-checks': page(
    'https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks',
    '2026-11',
  ),
  'anthropic-tool-search': page(
    'https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool',
    '2026-11',
  ),
  'anthropic-mid-conversation': page(
    'https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages',
    '2026-09-26',
  ),
  'anthropic-prompt-caching': page(
    'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
    '2026-10-08',
  ),
  'bedrock-block-binding': page(
    'https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding',
    '2026-11',
  ),
  'openai-keep-prefix': page(
    'https://developers.openai.com/api/docs/guides/keep-prefix-unchanged',
    '2026-11',
  ),
  'openai-prompt-caching': page('https://developers.openai.com/api/docs/guides/prompt-caching', '2026-11'),
  'openai-sdk': { title: 'npm openai 7.57.0', licence: 'Apache-2.0', takenOn: '2026-11-13' },
  'gemini-caching': page('https://ai.google.dev/gemini-api/docs/caching', '2026-10-13'),
  'gateway-catalogue': {
    title: 'tools/catalog/families: a model newer than all known ones counts as the newest',
    licence: 'Apache-2.0',
    takenOn: '2026-11-22',
  },
} as const;
