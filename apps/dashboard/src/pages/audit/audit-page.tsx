import { Button, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { readAuditCsv, useAudit, type AuditFilter } from '../../api/audit.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { changeParam, clearParams } from '../../lib/addresses.ts';
import { notifyDone } from '../../lib/notices.ts';
import { saveFile } from '../../lib/save-file.ts';
import { auditColumns, auditPhoneColumns } from './audit-columns.tsx';
import { filterNames, parseAuditQuery, type FilterName } from './audit-query.ts';
import { FilterForm } from '../../components/filter-form.tsx';
import { TextFilter, TimeFilter } from '../../components/filter-fields.tsx';
import { actionLabels, auditActions } from './describe-event.ts';
import classes from './audit.module.css';

export function AuditPage() {
  const [params, setParams] = useSearchParams();
  const filter = parseAuditQuery(params);
  const [until, setUntil] = useState(now);
  const change = (name: FilterName, value: string) =>
    setParams(changeParam(params, name, value), { replace: true });
  const clear = () => setParams(clearParams(params, filterNames));
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

/** The end time is one second in the future, so that the list contains the newest event. */
const now = () => new Date(Date.now() + 1_000).toISOString();

interface EventListProps {
  readonly filter: AuditFilter;
  readonly until: string;
  readonly onClear: () => void;
}

function EventList({ filter, until, onClear }: EventListProps) {
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <PagedTable
      query={useAudit(filter, until)}
      label="Events"
      noun="event"
      columns={auditColumns}
      phoneColumns={auditPhoneColumns}
      rowKey={({ id }) => id}
      empty={isFiltered ? <NothingMatches onClear={onClear} /> : <NoEvents />}
    />
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

interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
}

const actionOptions = auditActions.map((action) => ({ value: action, label: actionLabels[action] }));

function AuditFilters({ filter, onChange, onClear }: AuditFiltersProps) {
  return (
    <FilterForm label="Filter events" filter={filter} onClear={onClear} className={classes.filters}>
      <Select
        label="What"
        placeholder="Anything"
        clearable
        clearButtonProps={{ 'aria-label': 'Any action' }}
        searchable
        data={actionOptions}
        value={filter.action ?? null}
        onChange={(value) => onChange('action', value ?? '')}
      />
      <TextFilter
        label="Who"
        placeholder="E-mail address or key name"
        value={filter.actor}
        onChange={(value) => onChange('actor', value)}
      />
      <TimeFilter label="From" value={filter.since} onChange={(value) => onChange('since', value)} />
      <TimeFilter label="Before" value={filter.until} onChange={(value) => onChange('until', value)} />
    </FilterForm>
  );
}
