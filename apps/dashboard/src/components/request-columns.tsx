import { Badge } from '@mantine/core';
import { Link } from 'react-router';
import { useKeys } from '../api/keys.ts';
import type { RequestEntry } from '../api/requests.ts';
import type { RequestStatus } from '../api/types.ts';
import { sessionAddress } from '../lib/addresses.ts';
import { formatTools, unknown } from '../lib/format.ts';
import { sumTokensSaved } from '../lib/savings.ts';
import { TwoLines, type Column } from './data-table.tsx';
import { Dollars, Duration, Foreign, Time, Tokens } from './values.tsx';

/** Row height of the request log in pixels. A row has two lines. */
export const requestRowHeight = 56;

type ModelNames = Pick<RequestEntry, 'provider' | 'model' | 'requested_model'>;

const link = ({ id, created_at }: RequestEntry) => (
  <Link to={`/requests/${id}`}>
    <Time value={created_at} />
  </Link>
);

/** The provider and the model of a request, or the requested model if no model was chosen. */
export const describeModel = (
  { provider, model, requested_model }: ModelNames,
  none: string = unknown,
): string => (model === null ? (requested_model ?? none) : `${provider ?? '?'}/${model}`);

const cost: Column<RequestEntry> = {
  key: 'cost_usd',
  header: 'Cost',
  width: '5.25rem',
  align: 'end',
  isSortable: true,
  cell: ({ cost_usd }) => <Dollars value={cost_usd} />,
};
const duration: Column<RequestEntry> = {
  key: 'duration',
  header: 'Duration',
  width: '5.5rem',
  align: 'end',
  isSortable: true,
  cell: ({ ms }) => <Duration value={ms.total} />,
};
const amounts: readonly Column<RequestEntry>[] = [
  {
    key: 'saved',
    header: 'Tokens saved',
    width: '6.25rem',
    align: 'end',
    dropOrder: 3,
    cell: (row) => <Tokens value={sumTokensSaved(row)} isBare />,
  },
  {
    key: 'tokens',
    header: 'Tokens',
    width: '4.75rem',
    align: 'end',
    dropOrder: 2,
    cell: ({ total_tokens }) => <Tokens value={total_tokens} isBare />,
  },
  {
    key: 'tools',
    header: 'Tools sent',
    width: '5.25rem',
    align: 'end',
    dropOrder: 1,
    cell: (row) => (row.tools_in === 0 ? 'none' : formatTools(row)),
  },
];

const columnsWith = (showsSession: boolean): readonly Column<RequestEntry>[] => [
  {
    key: 'created_at',
    header: 'Time',
    width: 'minmax(10.75rem, 1fr)',
    isSortable: true,
    cell: (row) => <TwoLines second={<KeyName id={row.key_id} />}>{link(row)}</TwoLines>,
  },
  { key: 'status', header: 'Status', width: 'minmax(7.25rem, 1.4fr)', cell: (row) => <Outcome row={row} /> },
  {
    key: 'model',
    header: 'Model',
    width: 'minmax(6.5rem, 1.6fr)',
    cell: (row) => (
      <TwoLines second={showsSession ? <SessionLink id={row.session_id} /> : null}>
        <Foreign>{describeModel(row)}</Foreign>
      </TwoLines>
    ),
  },
  ...[cost, duration, ...amounts],
];

/** The columns of the request log. The keys of sortable columns are the names of the API's sort fields. */
export const requestColumns = columnsWith(true);
/** The columns of the requests of one session. */
export const sessionRequestColumns: readonly Column<RequestEntry>[] = columnsWith(false).map((column) => ({
  ...column,
  ...(column === duration ? { dropOrder: 4 } : {}),
  isSortable: false,
}));
/** The columns of the request log on a phone. */
export const requestPhoneColumns: readonly Column<RequestEntry>[] = [
  {
    key: 'model',
    header: 'Request',
    width: 'minmax(0, 1fr)',
    cell: (row) => (
      <TwoLines
        second={
          row.error_code === null ? <Foreign>{describeModel(row)}</Foreign> : <Outcome row={row} isShort />
        }
      >
        <Link to={`/requests/${row.id}`}>
          <Time value={row.created_at} isRelative />
        </Link>
      </TwoLines>
    ),
  },
  { ...cost, width: '4.75rem' },
  { ...duration, width: '5.5rem' },
];

/** The status of a request. A failed request also shows its error code and HTTP status. */
function Outcome({ row, isShort }: { readonly row: RequestEntry; readonly isShort?: boolean }) {
  const { status, error_code, http_status } = row;
  if (error_code === null) return <StatusBadge status={status} />;
  const code = (
    <span title={error_code}>
      <Foreign>{error_code}</Foreign>
    </span>
  );
  return isShort === true ? (
    code
  ) : (
    <TwoLines second={code}>
      <StatusBadge status={status} /> {http_status}
    </TwoLines>
  );
}

/** The name of an API key. A revoked key has no name, so its id is shown. */
export function KeyName({ id }: { readonly id: string }) {
  const name = useKeys().data?.find((key) => key.id === id)?.name ?? id;
  return (
    <span title={`Key: ${name}`}>
      <Foreign>{name}</Foreign>
    </span>
  );
}

function SessionLink({ id }: { readonly id: string | null }) {
  if (id === null) return null;
  return (
    <Link to={sessionAddress(id)} title={`Session: ${id}`}>
      <Foreign>{id}</Foreign>
    </Link>
  );
}

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
