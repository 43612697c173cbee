import { Link } from 'react-router';
import { useKeys } from '../../api/keys.ts';
import { useProviders } from '../../api/providers.ts';
import { useRecallAlerts } from '../../api/tool-health.ts';
import { useAnalytics, type AnalyticsTotals, type UsageFilter } from '../../api/usage.ts';
import { Panel } from '../../components/panel.tsx';
import { Dollars, Duration, Foreign, Share, Tokens } from '../../components/values.tsx';
import { formatShare, shareOf } from '../../lib/format.ts';
import { shareSaved, sumTokensSaved } from '../../lib/savings.ts';
import { useNow } from '../../lib/time.ts';
import { compareSaved, listAttention, sumSaved } from './answers-model.ts';
import { judgeRecall } from './overview-figures.tsx';
import classes from './overview.module.css';

interface AnswersProps {
  readonly totals: AnalyticsTotals;
  readonly days: number;
  readonly filter: UsageFilter;
  /** Whether the amounts are at notional prices. */
  readonly isNotional: boolean;
}

/** The answers to the three questions with which users open the page. */
export function Answers({ totals, days, filter, isNotional }: AnswersProps) {
  return (
    <div className={classes.answers}>
      <Panel title="How much was saved?">
        <Saved {...{ totals, days, filter, isNotional }} />
      </Panel>
      <Panel title="Did it hurt?">
        <Harm totals={totals} />
      </Panel>
      <Panel title="What needs attention?">
        <AttentionList totals={totals} days={days} />
      </Panel>
    </div>
  );
}

function Saved({ totals, days, filter, isNotional }: AnswersProps) {
  const { data, isPlaceholderData } = useAnalytics(2 * days, filter);
  // Until the figures of a new period or filter arrive, the query returns the previous figures.
  const both = isPlaceholderData ? undefined : data;
  const before = both === undefined ? null : sumSaved(both.data.slice(0, -days));
  return (
    <>
      <p className={classes.headline}>
        <Share value={shareSaved(totals, totals.prompt_tokens)} /> of the input
      </p>
      <p className={classes.answerText}>
        <Tokens value={sumTokensSaved(totals)} />, <Dollars value={totals.provider_savings_usd} />{' '}
        {isNotional ? 'at notional prices' : 'after all costs'}
      </p>
      <p className={classes.answerText}>
        {both === undefined ? '…' : compareSaved(sumTokensSaved(totals), before, days)}
      </p>
    </>
  );
}

function Harm({ totals }: { readonly totals: AnalyticsTotals }) {
  const { requests, errors, recall, recovery_tokens, overhead_p50_ms } = totals;
  const { value, low, high } = recall.effective;
  return (
    <>
      <p className={classes.headline}>
        {value === null ? 'Recall not measured' : <>{formatShare(value)} effective recall</>}
      </p>
      {value === null ? (
        <p className={classes.answerText}>
          Recall is the share of conversations with every needed tool. The gateway measures it on sampled
          conversations, and has measured none in this period.
        </p>
      ) : (
        <p className={classes.answerText}>
          between {formatShare(low)} and {formatShare(high)}; {judgeRecall(recall)}
        </p>
      )}
      <p className={classes.answerText}>
        {requests === 0 ? 'No requests' : `${formatShare(shareOf(errors, requests))} of the requests failed`}
        {', '}
        <Tokens value={recovery_tokens} /> in recovery rounds, <Duration value={overhead_p50_ms} /> added
        (median)
      </p>
    </>
  );
}

function AttentionList({ totals, days }: Pick<AnswersProps, 'totals' | 'days'>) {
  const { data: providers } = useProviders();
  const { data: keys } = useKeys();
  const { data: alerts } = useRecallAlerts(days);
  const isKnown = providers !== undefined && keys !== undefined && alerts !== undefined;
  const observed = { providers: providers ?? [], keys: keys ?? [], alerts: alerts?.total ?? 0 };
  const items = listAttention({ totals, ...observed, nowMs: useNow() });
  if (items.length === 0)
    return <p className={classes.answerText}>{isKnown ? 'Nothing needs attention.' : '…'}</p>;
  return (
    <ul className={classes.attention}>
      {items.slice(0, 5).map(({ text, address }) => (
        <li key={text}>
          <Link to={address}>
            <Foreign>{text}</Foreign>
          </Link>
        </li>
      ))}
      {items.length > 5 ? <li>and {items.length - 5} more</li> : null}
    </ul>
  );
}
