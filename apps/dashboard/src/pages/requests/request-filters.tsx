import { Select } from '@mantine/core';
import { requestStatuses } from '../../api/types.ts';
import { useKeys } from '../../api/keys.ts';
import type { RequestFilter } from '../../api/requests.ts';
import { FilterForm } from '../../components/filter-form.tsx';
import { TextFilter, TimeFilter, type FilterFieldProps } from '../../components/filter-fields.tsx';
import { Foreign } from '../../components/values.tsx';
import type { FilterName } from './request-query.ts';
import classes from './requests.module.css';

interface RequestFiltersProps {
  readonly filter: RequestFilter;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
}

export function RequestFilters({ filter, onChange, onClear }: RequestFiltersProps) {
  return (
    <FilterForm label="Filter requests" filter={filter} onClear={onClear} className={classes.filters}>
      <TextFilter
        label="Search"
        placeholder="Request ID, session, model, tool or error"
        value={filter.search}
        onChange={(value) => onChange('search', value)}
      />
      <Select
        label="Status"
        placeholder="Any"
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={requestStatuses}
        value={filter.status ?? null}
        onChange={(value) => onChange('status', value ?? '')}
      />
      <KeyFilter value={filter.key_id} onChange={(value) => onChange('key_id', value)} />
      <TextFilter
        label="Model"
        placeholder="openai/gpt-4o-mini"
        value={filter.model}
        onChange={(value) => onChange('model', value)}
      />
      <TextFilter
        label="Session"
        value={filter.session_id}
        onChange={(value) => onChange('session_id', value)}
      />
      <TimeFilter label="From" value={filter.from} onChange={(value) => onChange('from', value)} />
      <TimeFilter label="Before" value={filter.to} onChange={(value) => onChange('to', value)} />
    </FilterForm>
  );
}

function KeyFilter({ value, onChange }: FilterFieldProps) {
  const options = useKeyOptions(value);
  return (
    <Select
      label="Key"
      placeholder="Any"
      clearable
      clearButtonProps={{ 'aria-label': 'Any key' }}
      searchable
      renderOption={({ option }) => <Foreign>{option.label}</Foreign>}
      data={options}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}

/** The API keys to choose from, by name. The selected API key is included even if it is revoked. */
function useKeyOptions(chosen: string | undefined): { value: string; label: string }[] {
  const { data = [] } = useKeys();
  const options = data.map(({ id, name, last4 }) => ({
    value: id,
    label: `${name} (…${last4})`,
  }));
  if (chosen !== undefined && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: chosen });
  return options;
}
