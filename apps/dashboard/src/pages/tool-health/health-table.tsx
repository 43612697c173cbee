import { Button, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { ToolHealth } from '../../api/tool-health.ts';
import type { Column, Sorting } from '../../components/data-table.tsx';
import { DataTable, TwoLines } from '../../components/data-table.tsx';
import { Count, Foreign, Share, Time, Unknown } from '../../components/values.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';
import { sortTools } from './sort-tools.ts';
import classes from './tool-health.module.css';

interface HealthTableProps {
  readonly tools: readonly ToolHealth[];
  readonly requestsConsidered: number;
}

/** Lists all of the account's tools. The browser sorts and filters the tools. */
export function HealthTable({ tools, requestsConsidered }: HealthTableProps) {
  const [search, setSearch] = useState('');
  const [sorting, setSorting] = useState<Sorting>(worstFirst);
  const wanted = useDeferredValue(search);
  const rows = useMemo(() => sortTools(tools, wanted, sorting), [tools, wanted, sorting]);
  return (
    <>
      <div className={classes.controls}>
        <TextInput
          aria-label="Find a tool by name"
          placeholder="Find by name"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {sorting.key === worstFirst.key ? null : (
          <Button variant="default" onClick={() => setSorting(worstFirst)}>
            Worst first
          </Button>
        )}
        <p className={classes.total} role="status">
          {formatNumberOf(rows.length, 'tool')} in the newest {formatNumberOf(requestsConsidered, 'request')}{' '}
          with ranked tools{sorting.key === worstFirst.key ? ', worst first' : ''}
        </p>
      </div>
      <DataTable
        label="Tools"
        columns={columns}
        rows={rows}
        phoneColumns={phoneColumns}
        rowKey={({ name }) => name}
        sorting={sorting}
        onSort={setSorting}
      />
    </>
  );
}

/** Missed tools come first, then tools with issues, then tools with poor descriptions. */
const worstFirst: Sorting = { key: 'need', isDescending: true };

const columns: readonly Column<ToolHealth>[] = [
  {
    key: 'name',
    header: 'Tool',
    width: 'minmax(12rem, 2fr)',
    isSortable: true,
    cell: ({ name }) => (
      <Link to={toolAddress(name)}>
        <Foreign>{name}</Foreign>
      </Link>
    ),
  },
  {
    key: 'score',
    header: 'Description',
    width: 'minmax(7.25rem, 1fr)',
    isSortable: true,
    cell: ({ description_score }) => <DescriptionScore score={description_score} />,
  },
  {
    key: 'issues',
    header: 'Issues',
    width: '4.5rem',
    align: 'end',
    isSortable: true,
    cell: ({ issues }) => <Count value={issues.length} />,
  },
  {
    key: 'offered',
    header: 'Offered',
    width: '5rem',
    align: 'end',
    isSortable: true,
    dropOrder: 3,
    cell: ({ stats }) => <Count value={stats.offered} />,
  },
  {
    key: 'forwarded',
    header: 'Forwarded',
    width: '6rem',
    align: 'end',
    isSortable: true,
    dropOrder: 5,
    cell: ({ stats }) => <Count value={stats.forwarded} />,
  },
  {
    key: 'called',
    header: 'Called',
    width: '4.8rem',
    align: 'end',
    isSortable: true,
    cell: ({ stats }) => <Count value={stats.called} />,
  },
  {
    key: 'rate',
    header: 'Call-through',
    width: '6.75rem',
    align: 'end',
    isSortable: true,
    dropOrder: 4,
    cell: ({ stats }) => <Share value={stats.call_through_rate} />,
  },
  {
    key: 'missed',
    header: 'Missed',
    width: '5rem',
    align: 'end',
    isSortable: true,
    cell: ({ stats }) => <Count value={stats.called_when_pruned} />,
  },
  {
    key: 'rank',
    header: 'Mean rank',
    width: '6.25rem',
    align: 'end',
    isSortable: true,
    dropOrder: 2,
    cell: ({ stats: { mean_rank_when_called: rank } }) =>
      rank === null ? <Unknown /> : Number(rank.toFixed(1)),
  },
  {
    key: 'seen',
    header: 'Last seen',
    width: '7rem',
    isSortable: true,
    dropOrder: 1,
    cell: ({ last_seen_at }) => <Time value={last_seen_at} isRelative />,
  },
];

/** The columns on a phone. */
const phoneColumns: readonly Column<ToolHealth>[] = [
  {
    key: 'name',
    header: 'Tool',
    width: 'minmax(0, 1fr)',
    cell: ({ name, issues, stats }) => (
      <TwoLines second={`${formatNumberOf(issues.length, 'issue')}, ${stats.called_when_pruned} missed`}>
        <Link to={toolAddress(name)}>
          <Foreign>{name}</Foreign>
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'score',
    header: 'Description',
    width: '6.5rem',
    cell: ({ description_score }) => <DescriptionScore score={description_score} />,
  },
];

/** A score out of 100, shown with a bar. The color of the bar shows the same information as the number. */
function DescriptionScore({ score }: { readonly score: number | null }) {
  if (score === null) return <Unknown />;
  const level = score >= 75 ? 'good' : score >= 50 ? 'fair' : 'poor';
  return (
    <span className={classes.score}>
      <span>{score}</span>
      <span className={classes.track} aria-hidden>
        <span className={classes.bar} data-level={level} style={{ width: `${score}%` }} />
      </span>
    </span>
  );
}
