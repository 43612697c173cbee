import type { FamilyFacts } from './family.ts';

/**
 * Returns the facts about Gemini 3.6 and later. The APIs check the signature of reasoning, but no source
 * mentions a prefix check.
 */
export function findGeminiFacts(provider: string, modelId: string): FamilyFacts | undefined {
  if (!/(?:^|\/)gemini-(?:3\.[6-9]|[4-9])/.test(modelId)) return undefined;
  const isOwn = provider === 'google' || provider === 'vertex';
  return {
    ...(isOwn && {
      toolsOn: { gemini: 'yes' },
      defersOn: [],
      addsToolsOn: [],
      cachesAlways: true,
      cacheMinTokens: 4096,
    }),
    thinksByDefault: true,
    binding: { effect: 'none' },
    evidence: { binding: { source: 'gemini-caching', confidence: 'derived' } },
    sources: ['gemini-caching'],
  };
}
