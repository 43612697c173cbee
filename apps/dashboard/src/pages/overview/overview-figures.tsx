import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AnalyticsTotals } from '../../api/usage.ts';
import { Figure, Figures } from '../../components/panel.tsx';
import { Count, Dollars, Duration, Share, Tokens } from '../../components/values.tsx';
import { formatNumberOf, formatShare } from '../../lib/format.ts';
import classes from './overview.module.css';

/** Everything in figures, by what it is about. */
export function OverviewFigures({ totals }: { readonly totals: AnalyticsTotals }) {
  return (
    <div className={classes.groups}>
      <Group title="Savings">
        <Savings totals={totals} />
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

function Savings({ totals }: { readonly totals: AnalyticsTotals }) {
  const net = totals.provider_savings_usd;
  const isLoss = net !== null && net < 0;
  return (
    <>
      <Figure
        label="Tokens saved"
        hint={
          <>
            <Tokens value={totals.estimated_tokens_saved} /> by tools,{' '}
            <Tokens value={totals.compression_tokens_saved} /> by compression
          </>
        }
      >
        <Tokens value={totals.total_tokens_saved} />
      </Figure>
      <Figure label="Saved, gross" hint="before what saving it cost">
        <Dollars value={totals.gross_savings_usd} />
      </Figure>
      <Figure
        label="Saved, net"
        hint={isLoss ? 'a loss: caches and hidden rounds cost more' : 'after caches and hidden rounds'}
      >
        <span className={net === null || net === 0 ? undefined : isLoss ? classes.loss : classes.gain}>
          <Dollars value={net} />
        </span>
      </Figure>
      <Figure
        label="Spent"
        hint={
          totals.unpriced_requests === 0
            ? 'at the catalogue’s prices'
            : `${formatNumberOf(totals.unpriced_requests, 'request')} without a known price`
        }
      >
        <Dollars value={totals.cost_usd} />
      </Figure>
    </>
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
        hint={requests === 0 ? 'no requests' : `${formatShare(errors / requests)} of requests`}
      >
        <Count value={errors} />
      </Figure>
      <Figure label="Time to first byte" hint={<Percentile95 value={totals.first_byte_p95_ms} />}>
        <Duration value={totals.first_byte_p50_ms} />
      </Figure>
      <Figure label="Time in all" hint={<Percentile95 value={totals.total_p95_ms} />}>
        <Duration value={totals.total_p50_ms} />
      </Figure>
      <Figure label="Gateway’s share" hint={<Percentile95 value={totals.overhead_p95_ms} />}>
        <Duration value={totals.overhead_p50_ms} />
      </Figure>
      <Figure
        label="Tokens in and out"
        hint={
          <>
            <Tokens value={totals.prompt_tokens} /> in (<Tokens value={totals.cached_tokens} /> from cache)
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
      <Figure label="Tools in" hint="as the clients sent them">
        <Count value={tools_in} />
      </Figure>
      <Figure
        label="Tools out"
        hint={tools_in === 0 ? 'no tools' : `${formatShare(tools_out / tools_in)} forwarded`}
      >
        <Count value={tools_out} />
      </Figure>
      <Figure label="Requests pruned" hint="from which tools were left out">
        <Count value={pruned_requests} />
      </Figure>
      <Recall recall={totals.recall} />
    </>
  );
}

function Recall({ recall }: { readonly recall: AnalyticsTotals['recall'] }) {
  const { sessions, value, low, high } = recall;
  if (value === null)
    return (
      <Figure
        label="Recall"
        hint={
          <>
            measured on shadow sessions; none yet. See <Link to="/routing?tab=calibration">calibration</Link>
          </>
        }
      >
        not measured
      </Figure>
    );
  return (
    <Figure
      label="Recall"
      hint={`between ${formatShare(low)} and ${formatShare(high)} (95 % bounds), ${formatNumberOf(sessions, 'shadow session')}`}
    >
      <Share value={value} />
    </Figure>
  );
}
