import type { FamilyFacts } from './family.ts';

/**
 * Returns the facts about GPT models from GPT-5.4 on. The list `lists/facts.jsonl` states whether a GPT model accepts
 * tools on chat-completions. OpenAI's SDK documents tool search and `additional_tools`, and OpenAI's guides document
 * prompt caching and the prompt prefix. From GPT-6.2 on, OpenAI drops reasoning without an error if the prefix changes.
 */
export function findGptFacts(provider: string, modelId: string): FamilyFacts | undefined {
  const [, digits, variant = ''] = /(?:^|[./])gpt-(\d+(?:\.\d+)?)((?:-[a-z]+)*)/.exec(modelId) ?? [];
  if (digits === undefined) return undefined;
  const version = Number(digits);
  if (version < 5.4) return undefined;
  const drops = version >= 6.2;
  const isOwn = provider === 'openai';
  const isAzure = provider === 'azure';
  const facts = version >= 5.6 && (isOwn || isAzure) ? deferralFacts(isOwn) : { evidence: {} };
  const chat = toolsOnChat(version, variant);
  return {
    ...facts,
    ...((isOwn || isAzure) && {
      toolsOn: { 'chat-completions': chat, responses: 'yes' },
      ...(version >= 5.6 && { cachesAlways: true, cacheMinTokens: 1024, cacheTtlSeconds: 1800, write: 1.25 }),
    }),
    ...(chat === 'no' ? { thinksByDefault: true, thinkingOff: false } : {}),
    binding: { effect: drops ? 'drops' : 'none' },
    evidence: {
      ...facts.evidence,
      ...((isOwn || isAzure) && { toolsOn: { source: 'facts', confidence: 'second_hand' } }),
      // OpenAI's page lists the cache read price only for GPT-6 Astra.
      // OpenAI's page on prompt caching states the multiplier for cache writes.
      ...(isOwn &&
        version >= 5.6 &&
        !modelId.startsWith('gpt-6-astra') && { cacheRead: { source: 'facts', confidence: 'second_hand' } }),
      ...(version === 6.2 &&
        isOwn && { cacheWrite: { source: 'openai-prompt-caching', confidence: 'derived' } }),
      ...(version > 6.2 && { binding: { source: 'gateway-catalogue', confidence: 'assumed' } }),
      ...(version < 6.2 && { binding: { source: 'openai-keep-prefix', confidence: 'derived' } }),
      ...(version <= 6.2 && !isOwn && { binding: { source: 'openai-keep-prefix', confidence: 'derived' } }),
    },
    sources: [
      'openai-keep-prefix',
      ...(version >= 5.6 && (isOwn || isAzure) ? (['openai-sdk', 'openai-prompt-caching'] as const) : []),
    ],
  };
}

/**
 * From GPT-5.4 on, chat-completions rejects requests that combine tools and reasoning. Models that always
 * reason accept tools only through the Responses API. The models that always reason are the `-pro` and
 * `-codex` variants, GPT-6 Astra, GPT-6.1 Sol, and GPT-6.2.
 */
function toolsOnChat(version: number, variant: string): 'no' | 'effort_none' | 'effort_unset' {
  if (/-(?:pro|codex)\b/.test(variant) || version >= 6.2) return 'no';
  if ((version === 6 && variant.startsWith('-astra')) || (version === 6.1 && variant === '-sol')) return 'no';
  return version >= 5.6 ? 'effort_none' : 'effort_unset';
}

function deferralFacts(isOwn: boolean): Pick<FamilyFacts, 'defersOn' | 'addsToolsOn' | 'evidence'> {
  const derived = { source: 'openai-sdk', confidence: isOwn ? 'derived' : 'assumed' } as const;
  return {
    defersOn: ['responses'],
    addsToolsOn: ['responses'],
    evidence: { defersOn: derived, addsToolsOn: derived },
  };
}
