import { Button, Select } from '@mantine/core';
import { X } from 'lucide-react';
import type { AuditFilter } from '../../api/audit.ts';
import { TextFilter, TimeFilter } from '../../components/filter-fields.tsx';
import type { FilterName } from './audit-query.ts';
import { actionLabels, auditActions } from './describe-event.ts';
import classes from './audit.module.css';

interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
}

const actionOptions = auditActions.map((action) => ({ value: action, label: actionLabels[action] }));

/**
 * All filters of the audit log. The list shows only audit events that match every filter. The address of the
 * page contains the filters, so that users can share a filtered list.
 */
export function AuditFilters({ filter, onChange, onClear }: AuditFiltersProps) {
  return (
    <form
      className={classes.filters}
      role="search"
      aria-label="Filter events"
      onSubmit={(event) => event.preventDefault()}
    >
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
      {Object.keys(filter).length === 0 ? null : (
        <Button variant="default" leftSection={<X size={14} aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
    </form>
  );
}
