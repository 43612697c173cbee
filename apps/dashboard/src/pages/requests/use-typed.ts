import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

const typingMs = 350;

interface TypedOptions {
  /** As the address has it; empty where it does not. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A value as it is typed in, and what is typed in as a value. */
  readonly show: (value: string) => string;
  readonly read: (text: string) => string;
}

/**
 * The text of a field that the address keeps. It is asked for when typing pauses, not with every letter. What is typed stands
 * until the address says something that was not asked.
 */
export function useTyped({ value, onChange, show, read }: TypedOptions): [string, (text: string) => void] {
  const [typed, setTyped] = useState(() => show(value));
  const [asked, setAsked] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== asked) setAsked(value);
    if (value !== asked) setTyped(show(value));
  }
  const ask = useDebouncedCallback((text: string) => {
    setAsked(read(text));
    onChange(read(text));
  }, typingMs);
  const type = (text: string) => {
    setTyped(text);
    ask(text);
  };
  return [typed, type];
}
