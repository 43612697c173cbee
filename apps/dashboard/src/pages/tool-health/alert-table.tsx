import { Link } from 'react-router';
import type { RecallAlert } from '../../api/tool-health.ts';
import { DataTable, TwoLines } from '../../components/data-table.tsx';
import { Foreign, Time, Unknown } from '../../components/values.tsx';
import type { Column } from '../../components/data-table.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';
import classes from './tool-health.module.css';

const detectors: Readonly<Record<RecallAlert['detected_by'], string>> = {
  hallucinated_call: 'The model called it by name',
  recovery: 'The model recovered it',
  shadow: 'Shadow conversation (it was sent)',
};

const causes: Readonly<Record<NonNullable<RecallAlert['pruned_because']>, string>> = {
  below_k: 'Its rank was below K',
  earlier_turn: 'The set was chosen on an earlier turn',
};

interface AlertTableProps {
  readonly alerts: readonly RecallAlert[];
  readonly total: number;
}

/** Lists tools that were needed but not forwarded, newest first. */
export function AlertTable({ alerts, total }: AlertTableProps) {
  return (
    <>
      <div className={classes.controls}>
        <p className={classes.total}>
          {formatNumberOf(total, 'alert')}
          {total > alerts.length ? ` (newest ${alerts.length} shown)` : ''}
        </p>
      </div>
      <DataTable
        label="Recall alerts"
        columns={columns}
        phoneColumns={phoneColumns}
        rows={alerts}
        rowKey={({ request_id, tool, detected_by }) => `${request_id} ${tool} ${detected_by}`}
      />
    </>
  );
}

const columns: readonly Column<RecallAlert>[] = [
  {
    key: 'at',
    header: 'When',
    width: '10.75rem',
    cell: ({ at, request_id }) => (
      <Link to={`/requests/${request_id}`}>
        <Time value={at} />
      </Link>
    ),
  },
  {
    key: 'tool',
    header: 'Tool',
    width: 'minmax(10rem, 1fr)',
    cell: ({ tool }) => (
      <Link to={toolAddress(tool)}>
        <Foreign>{tool}</Foreign>
      </Link>
    ),
  },
  {
    key: 'by',
    header: 'Detected by',
    width: 'minmax(14rem, 1.2fr)',
    cell: (alert) => detectors[alert.detected_by],
  },
  {
    key: 'why',
    header: 'Why it was pruned',
    width: 'minmax(14rem, 1fr)',
    dropOrder: 3,
    cell: ({ pruned_because: why }) => (why === null ? <Unknown /> : causes[why]),
  },
  { key: 'rank', header: 'Rank', width: '4rem', align: 'end', dropOrder: 1, cell: ({ rank }) => rank },
  { key: 'k', header: 'K', width: '4rem', align: 'end', dropOrder: 2, cell: ({ k }) => k ?? <Unknown /> },
];

/** The columns on a phone. */
const phoneColumns: readonly Column<RecallAlert>[] = [
  {
    key: 'tool',
    header: 'Tool',
    width: 'minmax(0, 1fr)',
    cell: ({ tool, detected_by }) => (
      <TwoLines second={detectors[detected_by]}>
        <Link to={toolAddress(tool)}>
          <Foreign>{tool}</Foreign>
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'at',
    header: 'When',
    width: '7rem',
    cell: ({ at, request_id }) => (
      <Link to={`/requests/${request_id}`}>
        <Time value={at} isRelative />
      </Link>
    ),
  },
];
