import { Badge } from '@mantine/core';
import type { RequestStatus } from '../../api/request-statuses.ts';

const colors: Readonly<Record<RequestStatus, string>> = {
  ok: 'green',
  error: 'red',
  cancelled: 'gray',
  truncated: 'orange',
  interrupted: 'orange',
};

/** How a request ended, in a word. */
export function StatusBadge({ status }: { readonly status: RequestStatus }) {
  return (
    <Badge size="sm" variant="light" color={colors[status]} tt="none">
      {status}
    </Badge>
  );
}
