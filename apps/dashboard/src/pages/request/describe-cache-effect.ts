import type { RequestDetail } from '../../api/requests.ts';
import { formatShare, formatUsd } from '../../format/numbers.ts';

type Cached = Pick<RequestDetail, 'cached_tokens' | 'prompt_tokens' | 'compression' | 'k_reason'>;

/** What a request did with the provider's prompt cache, in words. */
export function describeCacheEffect(detail: Cached): string {
  const { cached_tokens: cached, prompt_tokens: prompt, compression, k_reason } = detail;
  const parts: string[] = [];
  if (cached !== null && prompt !== null && prompt > 0)
    parts.push(`${formatShare(cached / prompt)} of the input`);
  const rewritten = compression?.rewritten_usd ?? null;
  if (rewritten !== null && rewritten > 0)
    parts.push(`${formatUsd(rewritten)} written once more for compression`);
  if (k_reason === 'grown') parts.push('the set of tools grew, so its prefix was written anew');
  return parts.length === 0 ? 'nothing was said of a cache' : parts.join('; ');
}
