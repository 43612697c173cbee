import { Link } from 'react-router';
import { useNewRequest, type RequestDetail } from '../../api/requests.ts';
import { Foreign, Dollars, Tokens } from '../../components/values.tsx';
import { formatMs } from '../../lib/format.ts';
import { explainK } from '../../lib/explain-plan.ts';
import classes from './playground.module.css';
import type { AnswerHeaders } from './use-chat.ts';

interface PlanCardProps {
  readonly headers: AnswerHeaders;
  readonly sessionId: string;
  readonly tookMs: number;
  readonly isBusy: boolean;
}

/** What was decided about the request: at once what the headers say, and the whole plan once the log has it. */
export function PlanCard({ headers, sessionId, tookMs, isBusy }: PlanCardProps) {
  const { requestId, model, pruneRatio, overheadMs } = headers;
  const asked = isBusy ? undefined : (requestId ?? undefined);
  const { data: detail, isError } = useNewRequest(asked, sessionId);
  return (
    <aside className={classes.plan} aria-label="Plan of the last request">
      <dl className={classes.planFacts}>
        <dt>Model</dt>
        <dd>
          <Foreign>{model ?? 'none was asked'}</Foreign>
        </dd>
        <dt>Tools forwarded</dt>
        <dd>{pruneRatio === null ? 'the request had none' : pruneRatio.replace('/', ' of ')}</dd>
        <dt>Took</dt>
        <dd>
          {formatMs(tookMs)}
          {overheadMs === null ? '' : `, ${formatMs(Number(overheadMs))} of it the gateway`}
        </dd>
      </dl>
      {detail === undefined ? <PlanPending isBusy={isBusy} isError={isError} /> : <Plan detail={detail} />}
      {requestId === null ? null : <Link to={`/requests/${requestId}`}>The whole request</Link>}
    </aside>
  );
}

function PlanPending({ isBusy, isError }: { readonly isBusy: boolean; readonly isError: boolean }) {
  if (isBusy) return <p className={classes.hint}>The plan shows when the answer is there.</p>;
  if (isError)
    return <p className={classes.hint}>The log does not have the request yet: open it below in a moment.</p>;
  return (
    <p className={classes.hint} role="status">
      Reading the plan …
    </p>
  );
}

/** The best candidates that are shown. */
const shownMax = 15;

function Plan({ detail }: { readonly detail: RequestDetail }) {
  const { trace } = detail;
  const shown = trace.candidates.filter(({ rank, called }) => rank <= shownMax || called);
  return (
    <>
      <dl className={classes.planFacts}>
        <dt>Tokens</dt>
        <dd>
          <Tokens value={detail.total_tokens} />
        </dd>
        <dt>Tokens saved</dt>
        <dd>
          <Tokens value={detail.estimated_tokens_saved + detail.compression_tokens_saved} />
        </dd>
        <dt>Cost</dt>
        <dd>
          <Dollars value={detail.cost_usd} />
        </dd>
      </dl>
      <p className={classes.why}>
        {trace.k === null ? '' : `K ${trace.k}. `}
        {explainK(trace.k_reason)}
      </p>
      {shown.length === 0 ? null : (
        <ol className={classes.ranked} aria-label="Best candidates">
          {shown.map(({ name, rank, forwarded, called }) => (
            <li key={`${rank} ${name}`} data-left-out={forwarded ? undefined : true}>
              <span>{rank}.</span> <Foreign>{name}</Foreign>{' '}
              <span className={classes.fate}>
                {forwarded ? 'kept' : 'left out'}
                {called ? ', called' : ''}
              </span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
