import { Button } from '@mantine/core';
import { Download, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useMutation } from '@tanstack/react-query';
import type { RequestFilter } from '../../api/requests.ts';
import { useNewRequests, useRequests } from '../../api/requests.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { changeParam } from '../../lib/addresses.ts';
import { requestColumns } from '../../components/request-columns.tsx';
import { RequestFilters } from './request-filters.tsx';
import type { FilterName } from './request-query.ts';
import { filterNames, parseRequestQuery } from './request-query.ts';
import classes from './requests.module.css';
import { api, unwrap } from '../../api/client.ts';
import { notifyDone } from '../../lib/notices.ts';
import { saveFile } from '../../lib/save-file.ts';

export function RequestsPage() {
  const [params, setParams] = useSearchParams();
  const filter = parseRequestQuery(params);
  const [until, setUntil] = useState(() => new Date().toISOString());
  const change = (name: FilterName, value: string) =>
    setParams(changeParam(params, name, value), { replace: true });
  const clear = () => setParams(filterNames.reduce((left, name) => changeParam(left, name, null), params));
  return (
    <>
      <PageHeader
        title="Requests"
        description="Every accepted request, newest first, with the gateway’s decisions."
        actions={<ExportButton filter={filter} />}
      />
      <RequestFilters filter={filter} onChange={change} onClear={clear} />
      <NewRequests filter={filter} since={until} onShow={() => setUntil(new Date().toISOString())} />
      <RequestList filter={filter} until={until} onClear={clear} />
    </>
  );
}

interface RequestListProps {
  readonly filter: RequestFilter;
  readonly until: string;
  readonly onClear: () => void;
}

function RequestList({ filter, until, onClear }: RequestListProps) {
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <PagedTable
      query={useRequests(filter, until)}
      label="Requests"
      noun="request"
      columns={requestColumns}
      rowKey={({ id }) => id}
      empty={isFiltered ? <NothingMatches onClear={onClear} /> : <NoRequests />}
      minWidth="74rem"
      countedMax={countedMax}
    />
  );
}

/**
 * The number of requests at which the gateway stops counting. The gateway limits the count for lists with a time
 * filter, and every list has an end time.
 */
const countedMax = 100_000;

interface NewRequestsProps {
  readonly filter: RequestFilter;
  readonly since: string;
  readonly onShow: () => void;
}

/**
 * Shows new requests only when the user clicks a button, so that rows do not move while the user reads them.
 */
function NewRequests({ filter, since, onShow }: NewRequestsProps) {
  const { data: count = 0 } = useNewRequests(filter, since);
  return (
    <div className={classes.news} role="status">
      {count === 0 ? null : (
        <Button size="xs" variant="light" leftSection={<RefreshCw size={14} aria-hidden />} onClick={onShow}>
          Show {formatNumberOf(count, 'new request')}
        </Button>
      )}
    </div>
  );
}

function ExportButton({ filter }: { readonly filter: RequestFilter }) {
  const download = useExport(filter);
  return (
    <Button
      variant="default"
      loading={download.isPending}
      leftSection={<Download size={16} aria-hidden />}
      onClick={() => download.mutate()}
    >
      Export CSV
    </Button>
  );
}

function NothingMatches({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title="No matching requests"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Choose a longer period or remove a filter. Requests older than the retention period are deleted.
    </EmptyState>
  );
}

function NoRequests() {
  return (
    <EmptyState
      title="No requests yet"
      action={
        <Button component={Link} to="/playground">
          Open the playground
        </Button>
      }
    >
      A request appears here about a second after it ends. Send the first one from the playground, or follow
      the <Link to="/welcome">Welcome</Link> page.
    </EmptyState>
  );
}

/** Downloads the filtered request log. */
function useExport(filter: RequestFilter) {
  return useMutation({
    mutationFn: async () => {
      const query = { ...filter, format: 'csv' as const };
      const answer = api.GET('/v1/account/requests/export', { params: { query }, parseAs: 'blob' });
      saveFile(await unwrap(answer), 'requests.csv');
    },
    onSuccess: () => notifyDone('Requests downloaded.'),
    onError: () => notifyDone('The export failed. Try again in a moment.'),
  });
}
