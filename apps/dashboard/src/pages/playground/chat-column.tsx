import { Link } from 'react-router';
import { ErrorState } from '../../components/states.tsx';
import { Dollars, Foreign, Tokens } from '../../components/values.tsx';
import { formatMs } from '../../lib/format.ts';
import type { ToolCall, Turn } from '../../chat/conversation.ts';
import classes from './playground.module.css';
import type { AnswerHeaders, ColumnChat, Reply } from './use-chat.ts';
import { useNewRequest, type RequestDetail } from '../../api/requests.ts';
import { explainDecision } from '../../lib/explain-plan.ts';
import { describeTokensSaved, sumTokensSaved } from '../../lib/savings.ts';

interface ChatColumnProps {
  readonly title: string;
  readonly chat: ColumnChat;
}

/** A column that shows one conversation and the plan of its last request. */
export function ChatColumn({ title, chat }: ChatColumnProps) {
  const { turns, reply, isBusy, sessionId } = chat;
  return (
    <section className={classes.column} aria-label={title}>
      <h2 className={classes.columnTitle}>{title}</h2>
      <div className={classes.turns} role="log" aria-live="polite" aria-busy={isBusy}>
        {turns.length === 0 && reply === null ? (
          <p className={classes.hint}>No messages yet. Type a message below. Tools are optional.</p>
        ) : null}
        {turns.map((turn, at) => (
          <TurnView key={at} turn={turn} />
        ))}
        {isBusy ? <IncomingReply reply={reply} /> : null}
        {reply?.answer.error == null ? null : (
          <p className={classes.broken}>
            The response was interrupted: <Foreign>{reply.answer.error}</Foreign>
          </p>
        )}
        {reply?.error == null ? null : <ErrorState error={reply.error} />}
      </div>
      {reply?.headers == null ? null : (
        <PlanCard headers={reply.headers} sessionId={sessionId} tookMs={reply.tookMs} isBusy={isBusy} />
      )}
    </section>
  );
}

function IncomingReply({ reply }: { readonly reply: Reply | null }) {
  const answer = reply?.answer;
  if (answer === undefined || (answer.text === '' && answer.calls.length === 0))
    return (
      <p className={classes.hint}>
        Waiting for the first byte… {reply === null ? '' : formatMs(reply.tookMs)}
      </p>
    );
  return <AssistantTurn text={answer.text} calls={answer.calls} />;
}

function TurnView({ turn }: { readonly turn: Turn }) {
  switch (turn.role) {
    case 'user':
      return (
        <div className={classes.user}>
          <Foreign>{turn.text}</Foreign>
        </div>
      );
    case 'assistant':
      return <AssistantTurn text={turn.text} calls={turn.calls} />;
    case 'tool':
      return (
        <div className={classes.user}>
          {turn.results.map(({ call, text }) => (
            <div key={call.id}>
              <code>
                <Foreign>{call.name}</Foreign>
              </code>
              : <Foreign>{text}</Foreign>
            </div>
          ))}
        </div>
      );
  }
}

function AssistantTurn({ text, calls }: { readonly text: string; readonly calls: readonly ToolCall[] }) {
  return (
    <div className={classes.assistant}>
      {text === '' ? null : <Foreign>{text}</Foreign>}
      {calls.map((call) => (
        <div key={call.id} className={classes.call}>
          calls{' '}
          <code>
            <Foreign>
              {call.name}({call.argumentsJson})
            </Foreign>
          </code>
        </div>
      ))}
    </div>
  );
}

interface PlanCardProps {
  readonly headers: AnswerHeaders;
  readonly sessionId: string;
  readonly tookMs: number;
  readonly isBusy: boolean;
}

/**
 * Shows the plan of a request. The card first shows the facts from the response headers, and then the full plan from
 * the request log.
 */
function PlanCard({ headers, sessionId, tookMs, isBusy }: PlanCardProps) {
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
    return (
      <p className={classes.hint}>The request is not in the log yet. Open the request below in a moment.</p>
    );
  return (
    <p className={classes.hint} role="status">
      Loading the plan…
    </p>
  );
}

/** Maximum number of ranked tools that are shown. Tools that the model called are always shown. */
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
