import { ChevronLeft } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useSessionRequests, type RequestEntry } from '../../api/requests.ts';
import { useAnalytics, type AnalyticsTotals } from '../../api/usage.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Foreign, Count, Dollars, Duration, Share, Tokens } from '../../components/values.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { CachePanel } from '../../components/cache-panel.tsx';
import { Figure, Figures, Panel, Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { formatMs, formatNumberOf, formatTokens, formatUsd, shareOf } from '../../lib/format.ts';
import {
  describeSavedShare,
  describeTokensSaved,
  meaningOfBilled,
  sumTokensSaved,
} from '../../lib/savings.ts';
import {
  requestPhoneColumns,
  requestRowHeight,
  sessionRequestColumns,
} from '../../components/request-columns.tsx';
import { GrowthPanel } from './growth-panel.tsx';
import classes from './session-page.module.css';

const SessionCharts = lazy(() => import('./session-charts.tsx'));

/** The period in days that the figures on the page cover. Request logs are kept for at most one year. */
const days = 366;

/** One session with its requests in order. */
export function SessionPage() {
  const [params] = useSearchParams();
  const sessionId = params.get('id') ?? '';
  const requests = useSessionRequests(sessionId);
  return (
    <>
      <Link to="/sessions" className={classes.back}>
        <ChevronLeft size={16} aria-hidden /> All sessions
      </Link>
      <PageHeader title="Session" description={<Foreign>{sessionId}</Foreign>} />
      <Stacked>
        <SessionFigures sessionId={sessionId} />
        <QueryView
          query={requests}
          lines={12}
          isEmpty={({ total }) => total === 0}
          empty={
            <EmptyState title="Session not found">
              No request in the log has this session ID. It may be older than the retention period.
            </EmptyState>
          }
        >
          {(found) => <Requests {...found} />}
        </QueryView>
      </Stacked>
    </>
  );
}

function SessionFigures({ sessionId }: { readonly sessionId: string }) {
  const query = useAnalytics(days, { session_id: sessionId });
  return (
    <QueryView query={query} lines={4} isEmpty={({ totals }) => totals === null} empty={null}>
      {({ totals, from, to }) =>
        totals === null ? null : (
          <Stacked>
            <TotalFigures totals={totals} />
            <CachePanel from={from} to={to} session_id={sessionId} />
          </Stacked>
        )
      }
    </QueryView>
  );
}

function TotalFigures({ totals }: { readonly totals: AnalyticsTotals }) {
  const { prompt_tokens: prompt, cached_tokens: cached } = totals;
  return (
    <Figures>
      <Figure label="Requests" hint={formatNumberOf(totals.errors, 'error')}>
        <Count value={totals.requests} />
      </Figure>
      <Figure label="Median total time" hint={`first byte after ${formatMs(totals.first_byte_p50_ms)}`}>
        <Duration value={totals.total_p50_ms} />
      </Figure>
      <Figure label="From the prompt cache" hint={`${formatTokens(cached)} of ${formatTokens(prompt)}`}>
        <Share value={shareOf(cached, prompt)} />
      </Figure>
      <Figure
        label="Tokens saved"
        hint={`${describeSavedShare(totals, prompt)}${describeTokensSaved(totals)}`}
      >
        <Tokens value={sumTokensSaved(totals)} />
      </Figure>
      <Figure label="Billed as saved" hint={meaningOfBilled}>
        <Tokens value={totals.net_tokens_saved} />
      </Figure>
      <Figure label="Cost">
        <Dollars value={totals.cost_usd} />
      </Figure>
      <Figure
        label="Net savings"
        hint={`${formatUsd(totals.gross_savings_usd)} before the costs of pruning and compression`}
      >
        <Dollars value={totals.provider_savings_usd} />
      </Figure>
    </Figures>
  );
}

function Requests({
  requests,
  total,
}: {
  readonly requests: readonly RequestEntry[];
  readonly total: number;
}) {
  return (
    <>
      <Suspense fallback={<div className={classes.chartsRoom} />}>
        <SessionCharts requests={requests} />
      </Suspense>
      <GrowthPanel requests={requests} />
      <Panel
        title="Requests"
        description={
          total > requests.length
            ? `The newest ${requests.length} of ${total}, oldest first.`
            : 'Oldest first.'
        }
      >
        <DataTable
          label="Requests of the session"
          columns={sessionRequestColumns}
          phoneColumns={requestPhoneColumns.filter(({ key }) => key !== 'duration')}
          rowHeight={requestRowHeight}
          rows={requests}
          rowKey={({ id }) => id}
          maxHeight="32rem"
        />
      </Panel>
    </>
  );
}
