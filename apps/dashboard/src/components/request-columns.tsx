import { Link } from 'react-router';
import { Badge } from '@mantine/core';
import type { RequestEntry } from '../api/requests.ts';
import { Dollars, Duration, Foreign, Time, Tokens, Unknown } from './values.tsx';
import type { Column } from './data-table.tsx';
import { formatTools } from '../lib/format.ts';
import { sessionAddress } from '../lib/addresses.ts';
import { sumTokensSaved } from '../lib/savings.ts';
import type { RequestStatus } from '../api/types.ts';

/** The columns of the request log. */
export const requestColumns: readonly Column<RequestEntry>[] = [
  {
    key: 'time',
    header: 'Time',
    width: 'minmax(13rem, 1fr)',
    cell: ({ id, created_at }) => (
      <Link to={`/requests/${id}`}>
        <Time value={created_at} />
      </Link>
    ),
  },
  { key: 'status', header: 'Status', width: '6.5rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'model',
    header: 'Model',
    width: 'minmax(10rem, 1.4fr)',
    cell: ({ provider, model, requested_model }) => (
      <Foreign>{model === null ? (requested_model ?? '–') : `${provider ?? '?'}/${model}`}</Foreign>
    ),
  },
  {
    key: 'session',
    header: 'Session',
    width: 'minmax(8rem, 1fr)',
    cell: ({ session_id }) =>
      session_id === null ? (
        <Unknown />
      ) : (
        <Link to={sessionAddress(session_id)}>
          <Foreign>{session_id}</Foreign>
        </Link>
      ),
  },
  {
    key: 'tools',
    header: 'Tools sent',
    width: '6.5rem',
    align: 'end',
    cell: (row) => (row.tools_in === 0 ? 'none' : formatTools(row)),
  },
  {
    key: 'tokens',
    header: 'Tokens',
    width: '7.5rem',
    align: 'end',
    cell: ({ total_tokens }) => <Tokens value={total_tokens} />,
  },
  {
    key: 'saved',
    header: 'Tokens saved',
    width: '7.5rem',
    align: 'end',
    cell: (row) => <Tokens value={sumTokensSaved(row)} />,
  },
  {
    key: 'cost',
    header: 'Cost',
    width: '5.5rem',
    align: 'end',
    cell: ({ cost_usd }) => <Dollars value={cost_usd} />,
  },
  {
    key: 'ms',
    header: 'Duration',
    width: '5.5rem',
    align: 'end',
    cell: ({ ms }) => <Duration value={ms.total} />,
  },
];

const colors: Readonly<Record<RequestStatus, string>> = {
  ok: 'green',
  error: 'red',
  cancelled: 'gray',
  truncated: 'orange',
  interrupted: 'orange',
};

/** The status of a request. */
export function StatusBadge({ status }: { readonly status: RequestStatus }) {
  return (
    <Badge size="sm" variant="light" color={colors[status]} tt="none">
      {status}
    </Badge>
  );
}
