import { Button, Select } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { useTraces, type RoutingTrace, type TraceFilter } from '../../api/routing.ts';
import { TextFilter } from '../../components/filter-fields.tsx';
import { FilterForm } from '../../components/filter-form.tsx';
import { Foreign, Time } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { changeParam, clearParams } from '../../lib/addresses.ts';
import { describeK, explainDecision, meaningOfK, reasonNames } from '../../lib/explain-plan.ts';
import classes from './routing.module.css';

const filterNames = ['intent', 'k_reason', 'tool'] as const;

/** Routing decisions about tools, newest first. The address of the page contains the filters. */
export function TracesTab() {
  const [params, setParams] = useSearchParams();
  const set = filterNames.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value.slice(0, 64)] as const] : [];
  });
  const filter: TraceFilter = Object.fromEntries(set);
  const change = (name: (typeof filterNames)[number], value: string) =>
    setParams(changeParam(params, name, value), { replace: true });
  const clear = () => setParams(clearParams(params, filterNames));
  return (
    <>
      <FilterForm label="Filter decisions" filter={filter} onClear={clear} className={classes.traceFilters}>
        <Select
          label="Reason"
          placeholder="Any"
          clearable
          clearButtonProps={{ 'aria-label': 'Any reason' }}
          searchable
          data={reasonNames}
          value={filter.k_reason ?? null}
          onChange={(value) => change('k_reason', value ?? '')}
        />
        <TextFilter label="Intent" value={filter.intent} onChange={(value) => change('intent', value)} />
        <TextFilter label="Called tool" value={filter.tool} onChange={(value) => change('tool', value)} />
      </FilterForm>
      <Traces filter={filter} />
    </>
  );
}

function Traces({ filter }: { readonly filter: TraceFilter }) {
  const query = useTraces(filter);
  return (
    <QueryView
      query={query}
      lines={12}
      isEmpty={({ pages }) => pages[0]?.data.length === 0}
      empty={<NoTraces isFiltered={Object.keys(filter).length > 0} />}
    >
      {({ pages }) => (
        <Panel
          title="Decisions of the last 30 days"
          description={`Each with its highest-ranked tools. Pruned tools are crossed out. ${meaningOfK}`}
        >
          <ol className={classes.traces}>
            {listOnce(pages).map((trace) => (
              <Trace key={trace.request_id} trace={trace} />
            ))}
          </ol>
          {query.hasNextPage ? (
            <Button
              variant="default"
              mt="md"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Show more decisions
            </Button>
          ) : null}
        </Panel>
      )}
    </QueryView>
  );
}

/** The decisions of all pages. New decisions shift the pages, so two pages can contain the same decision. */
function listOnce(pages: readonly { readonly data: readonly RoutingTrace[] }[]): readonly RoutingTrace[] {
  const traces = pages.flatMap(({ data }) => data);
  return [...new Map(traces.map((trace) => [trace.request_id, trace])).values()];
}

function NoTraces({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No matching decisions">Remove a filter, or search for another tool.</EmptyState>
    );
  return (
    <EmptyState title="No decisions yet">
      The gateway makes a decision for each request with more than eight tools. Try it in the{' '}
      <Link to="/playground">playground</Link>.
    </EmptyState>
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
