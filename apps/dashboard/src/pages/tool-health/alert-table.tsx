import { Link } from 'react-router';
import type { RecallAlert } from '../../api/tool-health.ts';
import { DataTable } from '../../components/data-table.tsx';
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
        rows={alerts}
        rowKey={({ request_id, tool, detected_by }) => `${request_id} ${tool} ${detected_by}`}
        minWidth="68rem"
      />
    </>
  );
}

const columns: readonly Column<RecallAlert>[] = [
  {
    key: 'at',
    header: 'When',
    width: '13rem',
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
    cell: ({ pruned_because: why }) => (why === null ? <Unknown /> : causes[why]),
  },
  { key: 'rank', header: 'Rank', width: '4rem', align: 'end', cell: ({ rank }) => rank },
  { key: 'k', header: 'K', width: '4rem', align: 'end', cell: ({ k }) => k ?? <Unknown /> },
];
