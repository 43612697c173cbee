import { useCacheReport, type CacheReport, type CacheReportQuery } from '../api/usage.ts';
import { describeMiss } from '../lib/cache-misses.ts';
import { formatNumberOf } from '../lib/format.ts';
import { FiguresTable, Panel, ScrollRegion } from './panel.tsx';
import { QueryView } from './states.tsx';
import { Count, Dollars, Tokens } from './values.tsx';

/** Shows prompt cache misses by cause, for an account or for one session. */
export function CachePanel(query: CacheReportQuery) {
  return (
    <Panel
      title="Missed prompt caches"
      description={`Input that the request before left in the provider’s prompt cache and that was not read from it. ${
        query.session_id === undefined
          ? 'All requests of the account in the same period.'
          : 'All requests of the session.'
      }`}
    >
      <QueryView
        query={useCacheReport(query)}
        lines={4}
        isEmpty={({ causes }) => causes.length === 0}
        empty={<p>No misses in this period.</p>}
      >
        {(report) => <Causes report={report} />}
      </QueryView>
    </Panel>
  );
}

function Causes({ report }: { readonly report: CacheReport }) {
  const { causes, missed_requests, missed_tokens, missed_usd, requests } = report;
  return (
    <ScrollRegion label="Missed prompt caches by cause">
      <FiguresTable>
        <thead>
          <tr>
            <th scope="col">Cause</th>
            <th scope="col">Requests</th>
            <th scope="col">Input tokens</th>
            <th scope="col">Extra cost</th>
          </tr>
        </thead>
        <tbody>
          {causes.map((miss) => (
            <Row key={`${miss.cause} ${miss.detail}`} name={describeMiss(miss)} {...miss} />
          ))}
          <Row
            name={`All, of ${formatNumberOf(requests, 'compared request')}`}
            requests={missed_requests}
            tokens={missed_tokens}
            usd={missed_usd}
          />
        </tbody>
      </FiguresTable>
    </ScrollRegion>
  );
}

interface RowProps {
  readonly name: string;
  readonly requests: number;
  readonly tokens: number;
  readonly usd: number | null;
}

function Row({ name, requests, tokens, usd }: RowProps) {
  return (
    <tr>
      <td>{name}</td>
      <td>
        <Count value={requests} />
      </td>
      <td>
        <Tokens value={tokens} />
      </td>
      <td>
        <Dollars value={usd} />
      </td>
    </tr>
  );
}
