import { Select } from '@mantine/core';
import type { AuditFilter } from '../../api/audit.ts';
import { FilterForm } from '../../components/filter-form.tsx';
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

export function AuditFilters({ filter, onChange, onClear }: AuditFiltersProps) {
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
