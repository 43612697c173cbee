import { Button, Select, TextInput } from '@mantine/core';
import { X } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { requestStatuses } from '../../api/types.ts';
import type { RequestFilter } from '../../api/requests.ts';
import { Foreign } from '../../components/values.tsx';
import type { FilterName } from './request-query.ts';
import { fromLocalInput, toLocalInput } from './request-query.ts';
import classes from './requests.module.css';
import { api, unwrap } from '../../api/client.ts';

interface RequestFiltersProps {
  readonly filter: RequestFilter;
  readonly onChange: (name: FilterName, value: string) => void;
  readonly onClear: () => void;
}

/** All filters of the request log. They apply together. The address contains them, so that a list can be shared. */
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

/** Each typed digit already makes a valid date, so the field must not render again while the user types. */
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

/** The keys to choose from, by name. Includes the selected key even if it is revoked. */
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

const typingMs = 350;

interface TypedOptions {
  /** The value in the address, or an empty string. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Convert between the filter value and the field's text. */
  readonly show: (value: string) => string;
  readonly read: (text: string) => string;
}

/**
 * A filter's text field. Its value is stored in the address, which changes when typing pauses, not with every
 * letter. The typed text stays until the address changes for another reason.
 */
function useTyped({ value, onChange, show, read }: TypedOptions): [string, (text: string) => void] {
  const [typed, setTyped] = useState(() => show(value));
  const [sent, setSent] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== sent) setSent(value);
    if (value !== sent) setTyped(show(value));
  }
  const send = useDebouncedCallback((text: string) => {
    setSent(read(text));
    onChange(read(text));
  }, typingMs);
  const type = (text: string) => {
    setTyped(text);
    send(text);
  };
  return [typed, type];
}
