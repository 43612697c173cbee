import type { CatalogModel } from '@gateway/model-catalog';
import type { ExclusionRule, Needs } from './question.ts';

/**
 * What a model that was named for a request cannot do of what it needs. Whoever names a model may know it better than the
 * catalogue: only a source's word against an ability counts, where a choice among all models wants one for it.
 */
export function findLack(
  { capabilities: can, contextWindow, maxOutputTokens }: CatalogModel,
  needs: Needs,
): ExclusionRule | undefined {
  const { outputTokensMax } = needs;
  if (needs.tools && can.tools === false) return 'no_tools';
  if (needs.images && can.images === false) return 'no_images';
  if (needs.documents && can.documents === false) return 'no_documents';
  if (needs.jsonMode && can.jsonMode === false) return 'no_json_mode';
  if (needs.streaming && can.streaming === false) return 'no_streaming';
  if (needs.thinking && can.thinking === false) return 'no_thinking';
  if (contextWindow !== null && needs.inputTokens + (outputTokensMax ?? 0) > contextWindow) {
    return 'context_too_short';
  }
  const isShort = outputTokensMax !== null && maxOutputTokens !== null && outputTokensMax > maxOutputTokens;
  return isShort ? 'output_too_short' : undefined;
}
