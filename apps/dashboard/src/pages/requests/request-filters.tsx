import { Button, Select, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { requestStatuses } from '../../api/request-statuses.ts';
import type { RequestFilter } from '../../api/requests.ts';
import { Foreign } from '../../components/foreign.tsx';
import { useKeyOptions } from './use-key-options.ts';
import { fromLocalInput, toLocalInput, type FilterName } from './request-query.ts';
import classes from './requests.module.css';
import { useTyped } from './use-typed.ts';

interface RequestFiltersProps {
  readonly filter: RequestFilter;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
}

/** Every filter that the log has. They narrow it together, and stand in the address, so a list can be shared. */
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

interface FieldProps {
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

function KeyFilter({ value, onChange }: FieldProps) {
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

interface TextFilterProps extends FieldProps {
  readonly label: string;
  readonly placeholder?: string;
}

const asIs = (value: string) => value;
const trim = (text: string) => text.trim();

function TextFilter({ label, placeholder, value = '', onChange }: TextFilterProps) {
  const [typed, type] = useTyped({ value, onChange, show: asIs, read: trim });
  return (
    <TextInput
      label={label}
      placeholder={placeholder ?? 'Any'}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** A year is a year with each of its digits: what is typed is no text, and must not be drawn anew in between. */
function TimeFilter({ label, value = '', onChange }: FieldProps & { readonly label: string }) {
  const [typed, type] = useTyped({ value, onChange, show: toLocalInput, read: fromLocalInput });
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
