import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useSessions, type SessionUsage } from '../../api/usage.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Foreign, Count, Dollars, Share, Time, Tokens } from '../../components/values.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { TwoLines, type Column } from '../../components/data-table.tsx';
import { sessionAddress } from '../../lib/addresses.ts';
import { sumTokensSaved } from '../../lib/savings.ts';
import { TimeRange } from '../../components/time-range.tsx';

const dayMs = 86_400_000;
const ranges = [1, 7, 30, 90] as const;

export function SessionsPage() {
  const [params] = useSearchParams();
  const days = ranges.find((range) => String(range) === params.get('days')) ?? 30;
  // The time span starts at the start of a day, so that the query stays the same during the day.
  const [todayMs] = useState(() => Math.floor(Date.now() / dayMs) * dayMs);
  const from = new Date(todayMs - (days - 1) * dayMs).toISOString();
  return (
    <>
      <PageHeader
        title="Sessions"
        description="Requests grouped by their session ID, most recently active first."
        actions={<TimeRange days={days} ranges={ranges} />}
      />
      <SessionList from={from} />
    </>
  );
}

function SessionList({ from }: { readonly from: string }) {
  return (
    <PagedTable
      query={useSessions(from)}
      label="Sessions"
      noun="session"
      columns={columns}
      phoneColumns={phoneColumns}
      rowKey={({ session_id }) => session_id}
      empty={<NoSessions />}
      rowHeight={56}
    />
  );
}

/** The second line of a session. */
const lastActive = ({ last_request_at }: SessionUsage) => (
  <>
    last request <Time value={last_request_at} isRelative />
  </>
);

const columns: readonly Column<SessionUsage>[] = [
  {
    key: 'session',
    header: 'Session',
    width: 'minmax(11rem, 1fr)',
    cell: (row) => (
      <TwoLines second={lastActive(row)}>
        <Link to={sessionAddress(row.session_id)}>
          <Foreign>{row.session_id}</Foreign>
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'requests',
    header: 'Requests',
    width: '4.75rem',
    align: 'end',
    cell: ({ requests }) => <Count value={requests} />,
  },
  {
    key: 'models',
    header: 'Models',
    width: 'minmax(11rem, 1fr)',
    dropOrder: 3,
    cell: ({ models }) => <Foreign>{models.join(', ')}</Foreign>,
  },
  {
    key: 'cached',
    header: 'From cache',
    width: '5.25rem',
    align: 'end',
    dropOrder: 1,
    cell: ({ prompt_tokens, cached_tokens }) => (
      <Share value={prompt_tokens === 0 ? null : cached_tokens / prompt_tokens} />
    ),
  },
  {
    key: 'tokens',
    header: 'Tokens',
    width: '5.25rem',
    align: 'end',
    dropOrder: 2,
    cell: ({ total_tokens }) => <Tokens value={total_tokens} isBare />,
  },
  {
    key: 'saved',
    header: 'Tokens saved',
    width: '6.25rem',
    align: 'end',
    cell: (row) => <Tokens value={sumTokensSaved(row)} isBare />,
  },
  {
    key: 'cost',
    header: 'Cost',
    width: '5.5rem',
    align: 'end',
    cell: ({ cost_usd }) => <Dollars value={cost_usd} />,
  },
  {
    key: 'net',
    header: 'Net savings',
    width: '6rem',
    align: 'end',
    cell: ({ provider_savings_usd }) => <Dollars value={provider_savings_usd} />,
  },
];

/** The columns on a phone. */
const phoneColumns: readonly Column<SessionUsage>[] = [
  {
    key: 'session',
    header: 'Session',
    width: 'minmax(0, 1fr)',
    cell: ({ session_id, last_request_at }) => (
      <TwoLines second={<Time value={last_request_at} isRelative />}>
        <Link to={sessionAddress(session_id)}>
          <Foreign>{session_id}</Foreign>
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'saved',
    header: 'Saved',
    width: '5rem',
    align: 'end',
    cell: (row) => (
      <TwoLines second={<Dollars value={row.provider_savings_usd} />}>
        <Tokens value={sumTokensSaved(row)} isBare />
      </TwoLines>
    ),
  },
  {
    key: 'cost',
    header: 'Cost',
    width: '5rem',
    align: 'end',
    cell: ({ cost_usd }) => <Dollars value={cost_usd} />,
  },
];

function NoSessions() {
  return (
    <EmptyState title="No sessions in this period">
      <p>
        Requests without a session ID are not listed here. If your agent sends no session ID, send this
        header:
      </p>
      <CodeBlock label="Header with the session ID" code="X-Svc-Session-Id: ticket-4711" />
    </EmptyState>
  );
}
