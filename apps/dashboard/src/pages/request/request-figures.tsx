import type { RequestDetail } from '../../api/requests.ts';
import { Figure, Figures } from '../../components/panel.tsx';
import { Count, Dollars, Duration, Tokens } from '../../components/values.tsx';
import { formatShare } from '../../format/numbers.ts';
import { CacheEffect } from './cache-effect.tsx';

/** What one request took, cost and saved. */
export function RequestFigures({ detail }: { readonly detail: RequestDetail }) {
  const { ms, tools_in, tools_out } = detail;
  return (
    <Figures>
      <Figure
        label="Duration"
        hint={
          <>
            first byte after <Duration value={ms.first_byte} />
          </>
        }
      >
        <Duration value={ms.total} />
      </Figure>
      <Figure label="Gateway’s share" hint="until the provider was called">
        <Duration value={ms.overhead} />
      </Figure>
      <Figure
        label="Tools forwarded"
        hint={tools_in === 0 ? 'it had no tools' : `of ${tools_in}, ${formatShare(tools_out / tools_in)}`}
      >
        <Count value={tools_out} />
      </Figure>
      <Figure
        label="Tokens"
        hint={
          <>
            <Tokens value={detail.prompt_tokens} /> in, <Tokens value={detail.completion_tokens} /> out
            {detail.usage_estimated ? ', estimated' : ''}
          </>
        }
      >
        <Tokens value={detail.total_tokens} />
      </Figure>
      <Figure label="From the prompt cache" hint={<CacheEffect detail={detail} />}>
        <Tokens value={detail.cached_tokens} />
      </Figure>
      <Figure
        label="Tokens saved"
        hint={
          <>
            <Tokens value={detail.estimated_tokens_saved} /> by tools,{' '}
            <Tokens value={detail.compression_tokens_saved} /> by compression
          </>
        }
      >
        <Tokens value={detail.estimated_tokens_saved + detail.compression_tokens_saved} />
      </Figure>
      <Figure
        label="Cost"
        hint={detail.cost_usd === null ? 'the model’s price is not known' : 'at the catalogue’s price'}
      >
        <Dollars value={detail.cost_usd} />
      </Figure>
      <Figure
        label="Saved, net"
        hint={
          <>
            <Dollars value={detail.gross_savings_usd} /> before what saving it cost
          </>
        }
      >
        <Dollars value={detail.provider_savings_usd} />
      </Figure>
    </Figures>
  );
}
