import { useQueries } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { RequestEntry } from '../../api/requests.ts';
import { requestQuery } from '../../api/requests.ts';
import { Foreign, Time } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { ErrorState, LoadingState } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';
import classes from './session-page.module.css';

/** The fields of a request that show the size of the tool set. */
interface Sized {
  readonly id: string;
  readonly tools_out: number;
}

/** Maximum number of steps of the growth to show. */
const pointsMax = 20;

/**
 * The requests at which the tool set grew. Each returned request forwarded more tools than every earlier
 * request.
 */
export function findGrowth<Request extends Sized>(requests: readonly Request[]): Request[] {
  let most = 0;
  const points: Request[] = [];
  for (const request of requests) {
    if (request.tools_out <= most) continue;
    most = request.tools_out;
    points.push(request);
  }
  return points.slice(0, pointsMax);
}

/** For each list of tool names, the names that are not in an earlier list. */
export function listNewNames(lists: readonly (readonly string[])[]): string[][] {
  const known = new Set<string>();
  return lists.map((names) => {
    const fresh = [...new Set(names)].filter((name) => !known.has(name));
    for (const name of fresh) known.add(name);
    return fresh;
  });
}

/** Maximum number of tool names per step of the growth. The page of the request lists all tools. */
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
    return <div className={classes.names}>Their names were not logged, because no tools were ranked.</div>;
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
