import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AnalyticsTotals } from '../../api/usage.ts';
import { Figure, Figures } from '../../components/panel.tsx';
import { Count, Dollars, Duration, Share, Tokens } from '../../components/values.tsx';
import { formatNumberOf, formatShare, shareOf } from '../../lib/format.ts';
import {
  describeSavedShare,
  describeTokensSaved,
  meaningOfBilled,
  sumTokensSaved,
} from '../../lib/savings.ts';
import classes from './overview.module.css';

/** All figures on the overview page, in groups. */
export function OverviewFigures({ totals, isNotional }: SavingsProps) {
  return (
    <div className={classes.groups}>
      <Group title="Savings">
        <Savings totals={totals} isNotional={isNotional} />
      </Group>
      <Group title="Traffic">
        <Traffic totals={totals} />
      </Group>
      <Group title="Tools and recall">
        <Tools totals={totals} />
      </Group>
    </div>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes.group}>
      <h2 className={classes.groupTitle}>{title}</h2>
      <Figures>{children}</Figures>
    </section>
  );
}

interface SavingsProps {
  readonly totals: AnalyticsTotals;
  /** Whether the amounts are at notional prices. */
  readonly isNotional: boolean;
}

function Savings({ totals, isNotional }: SavingsProps) {
  const atPrices = isNotional ? 'at notional prices' : undefined;
  return (
    <>
      <Figure
        label="Tokens saved"
        hint={`${describeSavedShare(totals, totals.prompt_tokens)}${describeTokensSaved(totals)}`}
      >
        <Tokens value={sumTokensSaved(totals)} />
      </Figure>
      <Figure label="Billed as saved" hint={meaningOfBilled}>
        <Tokens value={totals.net_tokens_saved} />
      </Figure>
      <Figure label="Gross savings" hint={atPrices ?? 'before the costs of pruning and compression'}>
        <Dollars value={totals.gross_savings_usd} />
      </Figure>
      <NetSavings net={totals.provider_savings_usd} atPrices={atPrices} />
      <Figure
        label="Cost"
        hint={
          atPrices ??
          (totals.unpriced_requests === 0 || totals.unpriced_requests === null
            ? 'at catalog prices'
            : `${formatNumberOf(totals.unpriced_requests, 'request')} without a known price`)
        }
      >
        <Dollars value={totals.cost_usd} />
      </Figure>
    </>
  );
}

function NetSavings({
  net,
  atPrices,
}: {
  readonly net: number | null;
  readonly atPrices: string | undefined;
}) {
  const isLoss = net !== null && net < 0;
  return (
    <Figure
      label="Net savings"
      hint={
        isLoss
          ? 'loss: cache writes and recovery rounds cost more than was saved'
          : (atPrices ?? 'after cache writes and recovery rounds (extra calls to reach pruned tools)')
      }
    >
      <span className={net === null || net === 0 ? undefined : isLoss ? classes.loss : classes.gain}>
        <Dollars value={net} />
      </span>
    </Figure>
  );
}

function Traffic({ totals }: { readonly totals: AnalyticsTotals }) {
  const { requests, errors } = totals;
  return (
    <>
      <Figure label="Requests" hint={formatNumberOf(totals.sessions, 'session')}>
        <Count value={requests} />
      </Figure>
      <Figure
        label="Errors"
        hint={requests === 0 ? 'no requests' : `${formatShare(shareOf(errors, requests))} of requests`}
      >
        <Count value={errors} />
      </Figure>
      <Figure label="Time to first byte" hint={<Percentile95 value={totals.first_byte_p95_ms} />}>
        <Duration value={totals.first_byte_p50_ms} />
      </Figure>
      <Figure label="Total time" hint={<Percentile95 value={totals.total_p95_ms} />}>
        <Duration value={totals.total_p50_ms} />
      </Figure>
      <Figure label="Gateway overhead" hint={<Percentile95 value={totals.overhead_p95_ms} />}>
        <Duration value={totals.overhead_p50_ms} />
      </Figure>
      <Figure
        label="Total tokens"
        hint={
          <>
            <Tokens value={totals.prompt_tokens} /> input (<Tokens value={totals.cached_tokens} /> from the
            prompt cache)
          </>
        }
      >
        <Tokens value={totals.total_tokens} />
      </Figure>
    </>
  );
}

function Percentile95({ value }: { readonly value: number | null }) {
  return (
    <>
      median; 95th percentile <Duration value={value} />
    </>
  );
}

function Tools({ totals }: { readonly totals: AnalyticsTotals }) {
  const { tools_in, tools_out, pruned_requests } = totals;
  return (
    <>
      <Figure label="Tools received" hint="from clients, after the tool lists of keys">
        <Count value={tools_in} />
      </Figure>
      <Figure
        label="Tools sent"
        hint={
          tools_in === 0
            ? 'no tools'
            : `${formatShare(shareOf(tools_out, tools_in))} of the tools received; with the recovery tool`
        }
      >
        <Count value={tools_out} />
      </Figure>
      <Figure label="Pruned requests" hint="requests with tools removed">
        <Count value={pruned_requests} />
      </Figure>
      <Recall recall={totals.recall} />
    </>
  );
}

function Recall({ recall }: { readonly recall: AnalyticsTotals['recall'] }) {
  const { sessions, value, effective } = recall;
  if (value === null)
    return (
      <Figure
        label="Recall"
        hint={
          <>
            measured on shadow conversations; none in this period. See{' '}
            <Link to="/routing?tab=calibration">calibration</Link>
          </>
        }
      >
        not measured
      </Figure>
    );
  const from = formatNumberOf(sessions, 'shadow conversation');
  return (
    <>
      <Figure
        label="Forwarded recall"
        hint={`conversations in which the plan had every needed tool; ${formatBounds(recall)}, from ${from}`}
      >
        <Share value={value} />
      </Figure>
      <Figure
        label="Effective recall"
        hint={`with recovery; ${formatBounds(effective)}; ${judgeRecall(recall)}`}
      >
        <Share value={effective.value} />
      </Figure>
    </>
  );
}

function formatBounds({ low, high }: { readonly low: number | null; readonly high: number | null }): string {
  return `between ${formatShare(low)} and ${formatShare(high)} (95% bounds)`;
}

/** Compares the bounds of effective recall with the target. */
export function judgeRecall({ effective: { low, high }, target }: AnalyticsTotals['recall']): string {
  if (target === null || low === null || high === null) return 'no target yet';
  const shown = `target ${formatShare(target, 2)}`;
  if (low >= target) return `${shown} met`;
  return high < target ? `${shown} missed` : `${shown}: not certain yet`;
}
