import { Table } from '@mantine/core';
import type { Billing } from '../../api/billing.ts';
import { Panel, ScrollRegion } from '../../components/panel.tsx';
import { Tokens } from '../../components/values.tsx';
import { formatCount } from '../../lib/format.ts';
import classes from './billing.module.css';

export function BillingHistory({ history }: { readonly history: Billing['history'] }) {
  return (
    <Panel title="Past periods" description="Calendar months in UTC.">
      {history.length === 0 ? (
        <p className={classes.note}>
          No savings before this month. This month’s savings will appear here next month.
        </p>
      ) : (
        <ScrollRegion label="Past periods">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Period</Table.Th>
                <Table.Th ta="right">Requests</Table.Th>
                <Table.Th ta="right">Pruning tools</Table.Th>
                <Table.Th ta="right">Compression</Table.Th>
                <Table.Th ta="right">Recovery rounds</Table.Th>
                <Table.Th ta="right">Billed as saved</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {history.map((period) => (
                <PeriodRow key={period.start} period={period} />
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      )}
    </Panel>
  );
}

function PeriodRow({ period }: { readonly period: Billing['history'][number] }) {
  return (
    <Table.Tr>
      <Table.Td>{formatPeriod(period)}</Table.Td>
      <Table.Td ta="right">{formatCount(period.requests)}</Table.Td>
      <Table.Td ta="right">
        <Tokens value={period.estimated_tokens_saved} />
      </Table.Td>
      <Table.Td ta="right">
        <Tokens value={period.compression_tokens_saved} />
      </Table.Td>
      <Table.Td ta="right">
        <Tokens value={period.recovery_tokens_deducted} />
      </Table.Td>
      <Table.Td ta="right">
        <Tokens value={period.net_tokens_saved} />
      </Table.Td>
    </Table.Tr>
  );
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** The first and last day of a calendar month in UTC. The end of the time span (`end`) is exclusive. */
export function formatPeriod({ start, end }: { readonly start: string; readonly end: string }): string {
  return day.formatRange(new Date(start), new Date(new Date(end).getTime() - 1));
}
