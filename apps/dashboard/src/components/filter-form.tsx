import { Button } from '@mantine/core';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

interface FilterFormProps {
  /** The form's label for screen readers. */
  readonly label: string;
  /** The values of the active filters, by name. */
  readonly filter: object;
  readonly onClear: () => void;
  readonly className: string | undefined;
  /** The form fields of the filters. */
  readonly children: ReactNode;
}

/**
 * All filters that apply to a list. A filtered list shows only entries that match every filter. The address
 * of the page contains the filters, so that users can share a filtered list.
 */
export function FilterForm({ label, filter, onClear, className, children }: FilterFormProps) {
  return (
    <form className={className} role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {children}
      {Object.keys(filter).length === 0 ? null : (
        <Button variant="default" leftSection={<X size={14} aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
    </form>
  );
}
