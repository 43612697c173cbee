import { Button, Select } from '@mantine/core';
import { X } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { requestStatuses } from '../../api/types.ts';
import type { RequestFilter } from '../../api/requests.ts';
import { TextFilter, TimeFilter, type FilterFieldProps } from '../../components/filter-fields.tsx';
import { Foreign } from '../../components/values.tsx';
import type { FilterName } from './request-query.ts';
import classes from './requests.module.css';
import { api, unwrap } from '../../api/client.ts';

interface RequestFiltersProps {
  readonly filter: RequestFilter;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
}

/**
 * All filters of the request log. The list shows only requests that match every filter. The address of the
 * page contains the filters, so that users can share a filtered list.
 */
export function RequestFilters({ filter, onChange, onClear }: RequestFiltersProps) {
  return (
    <form
      className={classes.filters}
      role="search"
      aria-label="Filter requests"
      onSubmit={(event) => event.preventDefault()}
    >
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
      {Object.keys(filter).length === 0 ? null : (
        <Button variant="default" leftSection={<X size={14} aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
    </form>
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

/**
 * The API keys to choose from, by name. The list includes the selected API key even if the key is revoked.
 */
function useKeyOptions(chosen: string | undefined): { value: string; label: string }[] {
  const { data } = useQuery({
    queryKey: ['keys', 'options'],
    queryFn: () => unwrap(api.GET('/v1/account/keys')),
  });
  const options = (data?.data ?? []).map(({ id, name, last4 }) => ({
    value: id,
    label: `${name} (…${last4})`,
  }));
  if (chosen !== undefined && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: chosen });
  return options;
}
