import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { readAuditCsv, useAudit, type AuditEvent, type AuditFilter } from '../../api/audit.ts';
import { DataTable } from '../../components/data-table.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState, ErrorState, QueryView } from '../../components/states.tsx';
import { changeParam } from '../../lib/addresses.ts';
import { formatNumberOf } from '../../lib/format.ts';
import { notifyDone } from '../../lib/notices.ts';
import { saveFile } from '../../lib/save-file.ts';
import { auditColumns } from './audit-columns.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { filterNames, parseAuditQuery, type FilterName } from './audit-query.ts';
import classes from './audit.module.css';

export function AuditPage() {
  const [params, setParams] = useSearchParams();
  const filter = parseAuditQuery(params);
  const [until, setUntil] = useState(now);
  const change = (name: FilterName, value: string) =>
    setParams(changeParam(params, name, value), { replace: true });
  const clear = () => setParams(filterNames.reduce((left, name) => changeParam(left, name, null), params));
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed keys, providers, policy and routing, who signed in, and who exported data."
        actions={
          <>
            <Button
              variant="default"
              leftSection={<RefreshCw size={16} aria-hidden />}
              onClick={() => setUntil(now())}
            >
              Refresh
            </Button>
            <ExportButton filter={filter} />
          </>
        }
      />
      <AuditFilters filter={filter} onChange={change} onClear={clear} />
      <EventList filter={filter} until={until} onClear={clear} />
    </>
  );
}

/** A second ahead, because an event of this moment must be in the list. */
const now = () => new Date(Date.now() + 1_000).toISOString();

function TotalLine({ total, isLoading }: { readonly total: number; readonly isLoading: boolean }) {
  return (
    <p className={classes.total} role="status">
      {formatNumberOf(total, 'event')}
      {isLoading ? ' · loading…' : ''}
    </p>
  );
}

interface EventListProps {
  readonly filter: AuditFilter;
  readonly until: string;
  readonly onClear: () => void;
}

function EventList({ filter, until, onClear }: EventListProps) {
  const query = useAudit(filter, until);
  const rows: AuditEvent[] = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div aria-busy={query.isFetching} className={classes.list}>
      <QueryView
        query={query}
        lines={14}
        isEmpty={() => rows.length === 0}
        empty={isFiltered ? <NothingMatches onClear={onClear} /> : <NoEvents />}
      >
        {() => (
          <>
            <TotalLine total={total} isLoading={query.isFetching} />
            <DataTable
              label="Events"
              columns={auditColumns}
              rows={rows}
              rowKey={({ id }) => id}
              total={total}
              onEndReached={
                query.hasNextPage && !query.isFetchNextPageError
                  ? () => void query.fetchNextPage()
                  : undefined
              }
              isLoadingMore={query.isFetchingNextPage}
              minWidth="72rem"
            />
            {query.isFetchNextPageError ? (
              <ErrorState error={query.error} onRetry={() => void query.fetchNextPage()} />
            ) : null}
          </>
        )}
      </QueryView>
    </div>
  );
}

function ExportButton({ filter }: { readonly filter: AuditFilter }) {
  const download = useMutation({
    mutationFn: async () => saveFile(await readAuditCsv(filter), 'audit.csv'),
    onSuccess: () => notifyDone('Audit log downloaded.'),
    onError: () => notifyDone('The export failed. Try again in a moment.'),
  });
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
      title="No matching events"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Choose a longer period or remove a filter. Events older than the retention period are deleted.
    </EmptyState>
  );
}

function NoEvents() {
  return (
    <EmptyState title="No events yet">
      Changes of keys, providers, policy and routing appear here, and sign-ins and exports.
    </EmptyState>
  );
}
