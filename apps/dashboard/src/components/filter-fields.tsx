import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { fromLocalInput, toLocalInput } from '../lib/time.ts';

/** A filter for a list. The address of the page contains the text of the filter. */
export interface FilterFieldProps {
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

interface TextFilterProps extends FilterFieldProps {
  readonly label: string;
  readonly placeholder?: string;
}

const asIs = (value: string) => value;
const trim = (text: string) => text.trim();

export function TextFilter({ label, placeholder, value = '', onChange }: TextFilterProps) {
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

/**
 * A filter that selects a time. The field must not be rendered again while the user is typing, because the date
 * is already valid after each typed digit.
 */
export function TimeFilter({ label, value = '', onChange }: FilterFieldProps & { readonly label: string }) {
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

const typingMs = 350;

interface TypedOptions {
  /** The filter text in the page's address, or an empty string. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /**
   * The function `show` converts the filter's value to the text in the field, and `read` converts the text to
   * the value.
   */
  readonly show: (value: string) => string;
  readonly read: (text: string) => string;
}

/**
 * The text field of a filter. The address of the page contains the filter's value. The page's address changes only
 * after the user stops typing. If the address changes for another reason, the field shows the value from the address.
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
