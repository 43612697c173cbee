import { Link } from 'react-router';
import { useTraces, type RoutingTrace } from '../../api/routing.ts';
import { Foreign, Time } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { describeK, explainDecision, meaningOfK } from '../../lib/explain-plan.ts';
import classes from './routing.module.css';

/** Recent routing decisions about tools, newest first. */
export function TracesTab() {
  return (
    <QueryView
      query={useTraces()}
      lines={12}
      isEmpty={({ data }) => data.length === 0}
      empty={
        <EmptyState title="No decisions yet">
          The gateway makes a decision for each request with more than eight tools. Try it in the{' '}
          <Link to="/playground">playground</Link>.
        </EmptyState>
      }
    >
      {({ data }) => (
        <Panel
          title="Newest 100 decisions"
          description={`Each with its highest-ranked tools. Pruned tools are crossed out. ${meaningOfK}`}
        >
          <ol className={classes.traces}>
            {data.map((trace) => (
              <Trace key={trace.request_id} trace={trace} />
            ))}
          </ol>
        </Panel>
      )}
    </QueryView>
  );
}

function Trace({ trace }: { readonly trace: RoutingTrace }) {
  const { request_id, created_at, intent, k, k_reason, method, candidates, candidates_total } = trace;
  const more = candidates_total - candidates.length;
  return (
    <li className={classes.trace}>
      <div className={classes.traceHead}>
        <Link to={`/requests/${request_id}`}>
          <Time value={created_at} />
        </Link>
        <span>{intent === null ? 'no intent' : `intent: ${intent}`}</span>
        <span>
          {method === null ? 'not ranked' : `ranked by ${method === 'semantic' ? 'meaning' : 'keywords'}`}
        </span>
        <span>{describeK({ k, k_reason })}</span>
      </div>
      <span className={classes.total}>{explainDecision({ k, k_reason })}</span>
      <span className={classes.candidates}>
        {candidates.map(({ name, rank, forwarded, called }) => (
          <span
            key={`${rank} ${name}`}
            className={classes.candidate}
            data-pruned={forwarded ? undefined : true}
          >
            {rank}. <Foreign>{name}</Foreign>
            {called ? <span className={classes.called}> (called)</span> : null}
          </span>
        ))}
        {more > 0 ? <span>and {more} more</span> : null}
      </span>
    </li>
  );
}
