import { Alert, Button } from '@mantine/core';
import { X } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useAnalytics, type Analytics, type UsageFilter } from '../../api/usage.ts';
import { Foreign } from '../../components/values.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { formatUtcDay } from '../../lib/format.ts';
import { Answers } from './answers.tsx';
import { Breakdowns } from './breakdowns.tsx';
import type { ChartPart } from './overview-charts.tsx';
import { OverviewFigures } from './overview-figures.tsx';
import classes from './overview.module.css';
import { CachePanel } from '../../components/cache-panel.tsx';
import { TimeRange } from '../../components/time-range.tsx';
import { changeParam } from '../../lib/addresses.ts';
import { dayRanges, parseOverviewQuery } from './overview-query.ts';
import { isSandboxOnly, meaningOfNotional, priceNotionally } from '../../lib/notional.ts';

const OverviewCharts = lazy(() => import('./overview-charts.tsx'));

export function OverviewPage() {
  const [params, setParams] = useSearchParams();
  const { days, filter } = parseOverviewQuery(params);
  const query = useAnalytics(days, filter);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader
        title="Overview"
        description="Traffic, costs and savings of your requests."
        actions={<TimeRange days={days} ranges={dayRanges} />}
      />
      <ActiveFilter filter={filter} onRemove={(name) => setParams(changeParam(params, name, null))} />
      <div aria-busy={query.isFetching}>
        <QueryView
          query={query}
          lines={12}
          isEmpty={({ totals }) => totals?.requests === 0 && !isFiltered}
          empty={<NoTraffic />}
        >
          {(analytics) => <Content {...{ analytics, days, filter, isFiltered }} />}
        </QueryView>
      </div>
    </>
  );
}

interface ContentProps {
  readonly analytics: Analytics;
  readonly days: number;
  readonly filter: UsageFilter;
  readonly isFiltered: boolean;
}

function Content({ analytics, days, filter, isFiltered }: ContentProps) {
  const { totals: measured, data, from, to } = analytics;
  if (measured === null)
    return (
      <EmptyState title="The figures are being updated">
        The service that computes them is being upgraded. Reload the page in a minute.
      </EmptyState>
    );
  const isNotional = isSandboxOnly(measured.models);
  const totals = isNotional ? priceNotionally(measured) : measured;
  const parts = listParts(analytics);
  return (
    <Stacked>
      <p className={classes.span}>
        {formatUtcDay(from.slice(0, 10))} to {formatUtcDay(data.at(-1)?.date ?? from.slice(0, 10))}, days in
        UTC
      </p>
      {totals.sessions === null ? <PartlyDeleted /> : null}
      {isNotional ? <NotionalNote isFiltered={isFiltered} /> : null}
      <Answers totals={totals} days={days} filter={filter} isNotional={isNotional} />
      <OverviewFigures totals={totals} isNotional={isNotional} />
      <Suspense fallback={<div className={classes.chartsRoom} />}>
        <OverviewCharts parts={isNotional ? parts.map(priceNotionally) : parts} isNotional={isNotional} />
      </Suspense>
      <CachePanel from={from} to={to} />
      <Breakdowns span={{ from, to }} models={totals.models} {...{ isNotional, isFiltered }} />
    </Stacked>
  );
}

/** Explains the amounts. The tables that ignore a filter show actual amounts. */
function NotionalNote({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <p className={classes.span}>
      Amounts in US dollars are {meaningOfNotional}.
      {isFiltered
        ? ' The tables of the whole account (prompt caches, keys and sessions) show actual amounts.'
        : ''}
    </p>
  );
}

/** The steps of the charts: the hours of a single day, otherwise days. */
function listParts({ hours, data }: Analytics): readonly ChartPart[] {
  if (hours === null) return data.map((day) => ({ ...day, label: formatUtcDay(day.date) }));
  return hours.map((each) => ({ ...each, label: `${each.hour.slice(11, 16)} UTC` }));
}

/**
 * Explains why the page shows dashes in place of some figures. Requests are deleted after the retention
 * period, and only totals are kept longer.
 */
function PartlyDeleted() {
  return (
    <Alert variant="light" title="Some requests of this period are no longer in the log">
      Their sums are kept. A figure that needs the deleted requests is not known and shown as a dash.
    </Alert>
  );
}

const filterNames = { key_id: 'Key', model: 'Model', session_id: 'Session' } as const;

interface ActiveFilterProps {
  readonly filter: UsageFilter;
  readonly onRemove: (name: keyof UsageFilter) => void;
}

function ActiveFilter({ filter, onRemove }: ActiveFilterProps) {
  const names = (['key_id', 'model', 'session_id'] as const).filter((name) => filter[name] !== undefined);
  if (names.length === 0) return null;
  return (
    <div className={classes.filters} role="group" aria-label="Filters">
      {names.map((name) => (
        <Button
          key={name}
          size="xs"
          variant="light"
          rightSection={<X size={14} aria-hidden />}
          onClick={() => onRemove(name)}
          aria-label={`Remove filter ${filterNames[name]}: ${filter[name] ?? ''}`}
        >
          {filterNames[name]}:&nbsp;<Foreign>{filter[name]}</Foreign>
        </Button>
      ))}
    </div>
  );
}

function NoTraffic() {
  return (
    <EmptyState
      title="No requests in this period"
      action={
        <Button component={Link} to="/playground">
          Open the playground
        </Button>
      }
    >
      Send one from the playground, or connect an agent as described on the <Link to="/welcome">Welcome</Link>{' '}
      page. Figures appear about a second after a request ends.
    </EmptyState>
  );
}
