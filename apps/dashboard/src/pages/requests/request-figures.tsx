import type { RequestDetail } from '../../api/requests.ts';
import { Figure, Figures } from '../../components/panel.tsx';
import { Count, Dollars, Duration, Tokens } from '../../components/values.tsx';
import { formatMs, formatShare, formatTokens, formatUsd } from '../../lib/format.ts';

/** Duration, tools, tokens, cost and savings of one request. */
export function RequestFigures({ detail }: { readonly detail: RequestDetail }) {
  return (
    <Figures>
      <Effort detail={detail} />
      <Money detail={detail} />
    </Figures>
  );
}

function Effort({ detail }: { readonly detail: RequestDetail }) {
  const { ms, tools_in, tools_out } = detail;
  const isEstimated = detail.usage_estimated ? ', estimated' : '';
  const tokens = `${formatTokens(detail.prompt_tokens)} input, ${formatTokens(detail.completion_tokens)} output${isEstimated}`;
  return (
    <>
      <Figure label="Duration" hint={`first byte after ${formatMs(ms.first_byte)}`}>
        <Duration value={ms.total} />
      </Figure>
      <Figure label="Gateway overhead" hint="until the provider call">
        <Duration value={ms.overhead} />
      </Figure>
      <Figure
        label="Tools sent"
        hint={tools_in === 0 ? 'no tools in the request' : `of ${tools_in} received`}
      >
        <Count value={tools_out} />
      </Figure>
      <Figure label="Tokens" hint={tokens}>
        <Tokens value={detail.total_tokens} />
      </Figure>
      <Figure label="From the prompt cache" hint={describeCacheEffect(detail)}>
        <Tokens value={detail.cached_tokens} />
      </Figure>
    </>
  );
}

function Money({ detail }: { readonly detail: RequestDetail }) {
  const { estimated_tokens_saved: byTools, compression_tokens_saved: byCompression, cost_usd } = detail;
  return (
    <>
      <Figure
        label="Tokens saved"
        hint={`${formatTokens(byTools)} by tools, ${formatTokens(byCompression)} by compression`}
      >
        <Tokens value={byTools + byCompression} />
      </Figure>
      <Figure label="Cost" hint={cost_usd === null ? 'unknown price' : 'at catalog prices'}>
        <Dollars value={cost_usd} />
      </Figure>
      <Figure
        label="Net savings"
        hint={`${formatUsd(detail.gross_savings_usd)} before the costs of pruning and compression`}
      >
        <Dollars value={detail.provider_savings_usd} />
      </Figure>
    </>
  );
}

type Cached = Pick<RequestDetail, 'cached_tokens' | 'prompt_tokens' | 'compression' | 'k_reason'>;

/** Describes the effect of a request on the provider's prompt cache. */
function describeCacheEffect(detail: Cached): string {
  const { cached_tokens: cached, prompt_tokens: prompt, compression, k_reason } = detail;
  const parts: string[] = [];
  if (cached !== null && prompt !== null && prompt > 0)
    parts.push(`${formatShare(cached / prompt)} of the input`);
  const rewritten = compression?.rewritten_usd ?? null;
  if (rewritten !== null && rewritten > 0)
    parts.push(`${formatUsd(rewritten)} for cache writes after compression`);
  if (k_reason === 'grown') parts.push('the tool set grew, so the prefix was written to the cache again');
  if (k_reason === 'decided')
    parts.push(
      'the tool set was chosen after requests with all tools, so the prefix was written to the cache again',
    );
  return parts.length === 0 ? 'no cache information' : parts.join('; ');
}
