import { Link } from 'react-router';
import { useNewRequest, type RequestDetail } from '../../api/requests.ts';
import { Foreign, Dollars, Tokens } from '../../components/values.tsx';
import { formatMs } from '../../lib/format.ts';
import { explainDecision } from '../../lib/explain-plan.ts';
import { describeTokensSaved, sumTokensSaved } from '../../lib/savings.ts';
import classes from './playground.module.css';
import type { AnswerHeaders } from './use-chat.ts';

interface PlanCardProps {
  readonly headers: AnswerHeaders;
  readonly sessionId: string;
  readonly tookMs: number;
  readonly isBusy: boolean;
}

/**
 * Shows the plan of a request. The response headers contain the first facts about the plan, and the request
 * log later contains the full plan.
 */
export function PlanCard({ headers, sessionId, tookMs, isBusy }: PlanCardProps) {
  const { requestId, model, pruneRatio, overheadMs } = headers;
  const completedId = isBusy ? undefined : (requestId ?? undefined);
  const { data: detail, isError } = useNewRequest(completedId, sessionId);
  return (
    <aside className={classes.plan} aria-label="Plan of the last request">
      <dl className={classes.planFacts}>
        <dt>Model</dt>
        <dd>
          <Foreign>{model ?? 'none'}</Foreign>
        </dd>
        <dt>Tools sent / received</dt>
        <dd>{pruneRatio === null ? 'no tools in the request' : pruneRatio.replace('/', ' / ')}</dd>
        <dt>Duration</dt>
        <dd>
          {formatMs(tookMs)}
          {overheadMs === null ? '' : `, including ${formatMs(Number(overheadMs))} in the gateway`}
        </dd>
      </dl>
      {detail === undefined ? <PlanPending isBusy={isBusy} isError={isError} /> : <Plan detail={detail} />}
      {requestId === null ? null : <Link to={`/requests/${requestId}`}>View full request</Link>}
    </aside>
  );
}

function PlanPending({ isBusy, isError }: { readonly isBusy: boolean; readonly isError: boolean }) {
  if (isBusy) return <p className={classes.hint}>The plan appears when the response is complete.</p>;
  if (isError)
    return <p className={classes.hint}>The request is not in the log yet. Open it below in a moment.</p>;
  return (
    <p className={classes.hint} role="status">
      Loading the plan…
    </p>
  );
}

/** Maximum number of ranked tools to show. Called tools are always shown. */
const shownMax = 15;

function Plan({ detail }: { readonly detail: RequestDetail }) {
  const { trace } = detail;
  const shown = trace.candidates.filter(({ rank, called }) => rank <= shownMax || called);
  return (
    <>
      <dl className={classes.planFacts}>
        <dt>Tokens</dt>
        <dd>
          <Tokens value={detail.total_tokens} /> (<Tokens value={detail.prompt_tokens} /> input
          {detail.usage_estimated ? ', estimated' : ''})
        </dd>
        <dt>Tokens saved</dt>
        <dd>
          <Tokens value={sumTokensSaved(detail)} /> ({describeTokensSaved(detail)})
        </dd>
        <dt>Billed as saved</dt>
        <dd>
          <Tokens value={detail.net_tokens_saved} /> (billing unit)
        </dd>
        <dt>Cost</dt>
        <dd>
          <Dollars value={detail.cost_usd} />
        </dd>
      </dl>
      <p className={classes.why}>{explainDecision(trace)}</p>
      <RankedTools shown={shown} />
    </>
  );
}

function RankedTools({ shown }: { readonly shown: RequestDetail['trace']['candidates'] }) {
  if (shown.length === 0) return null;
  return (
    <ol className={classes.ranked} aria-label="Highest-ranked tools">
      {shown.map(({ name, rank, forwarded, called }) => (
        <li key={`${rank} ${name}`} data-pruned={forwarded ? undefined : true}>
          <span>{rank}.</span> <Foreign>{name}</Foreign>{' '}
          <span className={classes.fate}>
            {forwarded ? 'forwarded' : 'pruned'}
            {called ? ', called' : ''}
          </span>
        </li>
      ))}
    </ol>
  );
}
