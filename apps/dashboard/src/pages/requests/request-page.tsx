import { ChevronLeft } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { useRequest, type RequestDetail } from '../../api/requests.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Count, Dollars, Duration, Foreign, Time, Tokens } from '../../components/values.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Figure, Figures, Panel, Stacked } from '../../components/panel.tsx';
import { QueryView } from '../../components/states.tsx';
import { StatusBadge, describeModel } from '../../components/request-columns.tsx';
import { CandidatesPanel } from './candidates-panel.tsx';
import { CompressionPanel } from './compression-panel.tsx';
import { ContentPanel } from './content-panel.tsx';
import { renderCurl } from './copy-as-curl.ts';
import { FactsPanel } from './facts-panel.tsx';
import { FailurePanel } from './failure-panel.tsx';
import { ModelChoicePanel } from './model-choice-panel.tsx';
import { Waterfall } from './waterfall.tsx';
import classes from './request-page.module.css';
import {
  describeSavedShare,
  describeTokensSaved,
  meaningOfBilled,
  sumTokensSaved,
} from '../../lib/savings.ts';
import { describeMiss } from '../../lib/cache-misses.ts';
import { formatMs, formatShare, formatTokens, formatUsd } from '../../lib/format.ts';

export function RequestPage() {
  const { requestId } = useParams();
  const query = useRequest(requestId);
  return (
    <>
      <Link to="/requests" className={classes.back}>
        <ChevronLeft size={16} aria-hidden /> All requests
      </Link>
      <PageHeader
        title="Request"
        description={query.data === undefined ? null : <Summary detail={query.data} />}
      />
      <QueryView query={query} lines={16}>
        {(detail) => <Content detail={detail} />}
      </QueryView>
    </>
  );
}

function Summary({ detail }: { readonly detail: RequestDetail }) {
  const { status, created_at } = detail;
  return (
    <span className={classes.summary}>
      <StatusBadge status={status} />
      <Foreign>{describeModel(detail, 'no model')}</Foreign>
      <span>
        <Time value={created_at} />
      </span>
    </span>
  );
}

function Content({ detail }: { readonly detail: RequestDetail }) {
  return (
    <Stacked>
      {detail.error_code === null ? null : <FailurePanel detail={detail} code={detail.error_code} />}
      <RequestFigures detail={detail} />
      <Panel
        title="Where the time went"
        description="From the arrival of the request to the last byte of its response."
      >
        <Waterfall ms={detail.ms} />
      </Panel>
      <CandidatesPanel detail={detail} />
      <CompressionPanel detail={detail} />
      {detail.model_choice === null ? null : <ModelChoicePanel choice={detail.model_choice} />}
      <ContentPanel key={detail.id} content={detail.content} />
      <FactsPanel detail={detail} />
      <Panel
        title="Repeat with curl"
        description="The same call with a placeholder message. Set the environment variable SVC_API_KEY to your key."
      >
        <CodeBlock label="Request as a curl command" code={renderCurl(detail, window.location.origin)} />
      </Panel>
    </Stacked>
  );
}

/**
 * Duration, tools, tokens, cost and savings of one request. A request that was rejected before it was forwarded has
 * only a duration and tools.
 */
function RequestFigures({ detail }: { readonly detail: RequestDetail }) {
  const isForwarded = detail.lane !== null || detail.total_tokens !== null;
  return (
    <Figures>
      <Figure
        label="Duration"
        hint={isForwarded ? `first byte after ${formatMs(detail.ms.first_byte)}` : 'not sent to a provider'}
      >
        <Duration value={detail.ms.total} />
      </Figure>
      <Figure label="Tools sent" hint={describeTools(detail)}>
        <Count value={detail.tools_out} />
      </Figure>
      {isForwarded ? (
        <>
          <Effort detail={detail} />
          <Money detail={detail} />
        </>
      ) : null}
    </Figures>
  );
}

function Effort({ detail }: { readonly detail: RequestDetail }) {
  const isEstimated = detail.usage_estimated ? ', estimated' : '';
  const tokens = `${formatTokens(detail.prompt_tokens)} input, ${formatTokens(detail.completion_tokens)} output${isEstimated}`;
  return (
    <>
      <Figure label="Gateway overhead" hint="until the provider call">
        <Duration value={detail.ms.overhead} />
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
  const { cost_usd, net_tokens_saved } = detail;
  return (
    <>
      <Figure
        label="Tokens saved"
        hint={`${describeSavedShare(detail, detail.prompt_tokens)}${describeTokensSaved(detail)}`}
      >
        <Tokens value={sumTokensSaved(detail)} />
      </Figure>
      <Figure label="Billed as saved" hint={meaningOfBilled}>
        <Tokens value={net_tokens_saved} />
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

/** Describes how many tools were received and pruned, and why the number of sent tools differs. */
function describeTools({ tools_offered: offered, tools_in, tools_out, tools_pruned }: RequestDetail): string {
  if (tools_in === 0) return 'no tools in the request';
  const pruned = tools_pruned ?? Math.max(0, tools_in - tools_out);
  const parts = [`of ${tools_in} received, ${pruned} pruned`];
  if (tools_out > tools_in - pruned) parts.push('the recovery tool or recovered tools included');
  if (offered !== null && offered > tools_in) parts.push(`${offered} before the key’s tool lists`);
  return parts.join('; ');
}

type Cached = Pick<
  RequestDetail,
  'cached_tokens' | 'prompt_tokens' | 'compression' | 'k_reason' | 'cache_miss'
>;

/** Describes the effect of a request on the provider's prompt cache. */
function describeCacheEffect(detail: Cached): string {
  const { cached_tokens: cached, prompt_tokens: prompt, compression, k_reason, cache_miss } = detail;
  const parts: string[] = [];
  if (cached !== null && prompt !== null && prompt > 0)
    parts.push(`${formatShare(cached / prompt)} of the input`);
  if (cache_miss !== null)
    parts.push(
      `${formatTokens(cache_miss.tokens)} missed at ${formatUsd(cache_miss.usd)} (${describeMiss(cache_miss)})`,
    );
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
