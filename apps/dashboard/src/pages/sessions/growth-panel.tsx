import { useQueries } from '@tanstack/react-query';
import { Link } from 'react-router';
import { requestQuery, type RequestEntry } from '../../api/requests.ts';
import { Foreign, Time } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorState, LoadingState } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';
import { findGrowth, listNewNames } from './growth.ts';
import classes from './session-page.module.css';

/** Maximum number of tool names that are shown per step. The page of the request lists all tools. */
const namesMax = 40;

/** Shows when the session's tool set was chosen, and which tools were added later. */
export function GrowthPanel({ requests }: { readonly requests: readonly RequestEntry[] }) {
  const points = findGrowth(requests);
  const details = useQueries({ queries: points.map(({ id }) => requestQuery(id)) });
  const failed = details.find(({ isError }) => isError);
  const loaded = details.flatMap(({ data }) => data ?? []);
  return (
    <Panel
      title="Growth of the tool set"
      description="Tools are chosen for the first request and kept, so that the provider’s prompt cache stays valid. A later turn may add tools."
    >
      {points.length === 0 ? <p>No request of this session had tools.</p> : null}
      {failed === undefined ? null : (
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      )}
      {loaded.length < points.length && failed === undefined ? <LoadingState lines={3} /> : null}
      {loaded.length === points.length ? (
        <Growth points={points} names={listNewNames(loaded.map(({ forwarded_tools }) => forwarded_tools))} />
      ) : null}
    </Panel>
  );
}

interface GrowthProps {
  readonly points: readonly RequestEntry[];
  readonly names: readonly (readonly string[])[];
}

function Growth({ points, names }: GrowthProps) {
  return (
    <ol className={classes.growth}>
      {points.map(({ id, created_at, tools_out, tools_in }, at) => (
        <li key={id}>
          <Link to={`/requests/${id}`} className={classes.when}>
            <Time value={created_at} />
          </Link>
          : {formatNumberOf(tools_out, 'tool')} sent of {tools_in} received
          <NewNames names={names[at] ?? []} isFirst={at === 0} />
        </li>
      ))}
    </ol>
  );
}

function NewNames({ names, isFirst }: { readonly names: readonly string[]; readonly isFirst: boolean }) {
  if (names.length === 0)
    return (
      <div className={classes.names}>
        The names of the tools were not logged, because no tools were ranked.
      </div>
    );
  const more = names.length - namesMax;
  return (
    <div className={classes.names}>
      <span>{isFirst ? 'Chosen:' : 'Added:'}</span>
      {names.slice(0, namesMax).map((name) => (
        <Link key={name} to={toolAddress(name)}>
          <Foreign>{name}</Foreign>
        </Link>
      ))}
      {more > 0 ? <span>and {formatNumberOf(more, 'more', 'more')}</span> : null}
    </div>
  );
}
