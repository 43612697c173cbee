import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';
import {
  useSessions,
  type SessionUsage,
  useKeyUsage,
  type AnalyticsTotals,
  type KeyUsage,
} from '../../api/usage.ts';
import { DataTable, TwoLines } from '../../components/data-table.tsx';
import { Foreign, Count, Dollars, Time } from '../../components/values.tsx';
import { Panel, Stacked } from '../../components/panel.tsx';
import { QueryView } from '../../components/states.tsx';
import type { Column } from '../../components/data-table.tsx';
import { changeParam } from '../../lib/addresses.ts';
import { priceNotionally } from '../../lib/notional.ts';
import { sumTokensSaved, type Savings } from '../../lib/savings.ts';

type ModelUsage = NonNullable<AnalyticsTotals['models']>[number];

interface Figures extends Savings {
  readonly requests: number | null;
  readonly cost_usd: number | null;
  readonly provider_savings_usd: number | null;
}

/** A column with a figure per row. */
const figure = (
  key: string,
  header: string,
  width: string,
  cell: Column<Figures>['cell'],
): Column<Figures> => ({ key, header, width, align: 'end', cell });

const figureColumns: readonly Column<Figures>[] = [
  figure('requests', 'Requests', '4.6rem', (row) => <Count value={row.requests} />),
  figure('saved', 'Tokens saved', '6.4rem', (row) => <Count value={sumTokensSaved(row)} />),
  figure('cost', 'Cost', '5rem', (row) => <Dollars value={row.cost_usd} />),
  figure('net', 'Net savings', '6rem', (row) => <Dollars value={row.provider_savings_usd} />),
];

/** The savings on a phone. */
const phoneSavings = figure('saved', 'Saved', '5.5rem', (row) => (
  <TwoLines second={<Dollars value={row.provider_savings_usd} />}>
    <Count value={sumTokensSaved(row)} />
  </TwoLines>
));

/** On a phone, a table shows the name, the saved tokens and the net savings. */
const forPhone = <Row extends Figures>([name]: readonly Column<Row>[]): readonly Column<Row>[] => [
  ...(name === undefined ? [] : [{ ...name, width: 'minmax(0, 1fr)' }]),
  phoneSavings,
];

interface BreakdownsProps {
  readonly span: { readonly from: string; readonly to: string };
  /** The usage per model. Null if requests from the period were deleted from the log. */
  readonly models: readonly ModelUsage[] | null;
  /** Whether the amounts are at notional prices. */
  readonly isNotional: boolean;
  /** Whether the page has a filter. The tables by key and by session ignore the filter. */
  readonly isFiltered: boolean;
}

/** The figures on the page by model, API key and session. Each name is a link that filters the page. */
export function Breakdowns({ span, models, isNotional, isFiltered }: BreakdownsProps) {
  const price = choosePrice(isNotional);
  // Rows outside the filter can contain requests of other providers, which have real costs.
  const isNotionalOfAll = isNotional && !isFiltered;
  const priceOfAll = choosePrice(isNotionalOfAll);
  return (
    <Stacked>
      <Panel
        title="By model"
        description={`The 20 most used models. Select one to filter the page.${notePrices(isNotional)}`}
      >
        <ModelTable models={models} price={price} />
      </Panel>
      <Panel
        title="By key"
        description={`All keys of the account in the same period.${notePrices(isNotionalOfAll)}`}
      >
        <KeyTable span={span} price={priceOfAll} />
      </Panel>
      <Panel
        title="By session"
        description={
          <>
            The most recently active sessions. See <Link to="/sessions">Sessions</Link> for all of them.
            {notePrices(isNotionalOfAll)}
          </>
        }
      >
        <SessionTable from={span.from} price={priceOfAll} />
      </Panel>
    </Stacked>
  );
}

const notePrices = (isNotional: boolean): string => (isNotional ? ' Amounts at notional prices.' : '');

/** Sets the amounts of a row. */
type Price = <Row extends KeyUsage | ModelUsage | SessionUsage>(row: Row) => Row;

const choosePrice = (isNotional: boolean): Price => (isNotional ? priceNotionally : (row) => row);

/** A link to the current page with a filter applied. */
function Narrow({
  name,
  value,
  children,
}: {
  readonly name: string;
  readonly value: string;
  readonly children: ReactNode;
}) {
  const [params] = useSearchParams();
  return <Link to={`?${changeParam(params, name, value).toString()}`}>{children}</Link>;
}

function ModelTable({ models, price }: Pick<BreakdownsProps, 'models'> & { readonly price: Price }) {
  const columns: Column<ModelUsage>[] = [
    {
      key: 'model',
      header: 'Model',
      width: 'minmax(8rem, 1fr)',
      cell: ({ provider, model }) => (
        <Narrow name="model" value={`${provider}/${model}`}>
          <Foreign>{`${provider}/${model}`}</Foreign>
        </Narrow>
      ),
    },
    ...figureColumns,
  ];
  if (models === null)
    return <p>Not known: some requests of this period are older than the log’s retention.</p>;
  if (models.length === 0) return <p>No request reached a model in this period.</p>;
  return (
    <DataTable
      label="Usage by model"
      columns={columns}
      phoneColumns={forPhone(columns)}
      rows={models.map(price)}
      rowKey={({ provider, model }) => `${provider}/${model}`}
      maxHeight="26rem"
    />
  );
}

const keyColumns: readonly Column<KeyUsage>[] = [
  {
    key: 'key',
    header: 'Key',
    width: 'minmax(8rem, 1fr)',
    cell: ({ key_id, name }) => (
      <Narrow name="key_id" value={key_id}>
        {name === null ? <>revoked or playground key</> : <Foreign>{name}</Foreign>}
      </Narrow>
    ),
  },
  ...figureColumns,
];

function KeyTable({ span, price }: Pick<BreakdownsProps, 'span'> & { readonly price: Price }) {
  return (
    <QueryView
      query={useKeyUsage(span)}
      lines={6}
      isEmpty={({ data }) => data.length === 0}
      empty={<p>No keys yet.</p>}
    >
      {({ data }) => (
        <DataTable
          label="Usage by key"
          columns={keyColumns}
          phoneColumns={forPhone(keyColumns)}
          rows={data.map(price)}
          rowKey={({ key_id }) => key_id}
          maxHeight="26rem"
        />
      )}
    </QueryView>
  );
}

const sessionColumns: readonly Column<SessionUsage>[] = [
  {
    key: 'session',
    header: 'Session',
    width: 'minmax(8rem, 1fr)',
    cell: ({ session_id, last_request_at }) => (
      <TwoLines second={<Time value={last_request_at} isRelative />}>
        <Narrow name="session_id" value={session_id}>
          <Foreign>{session_id}</Foreign>
        </Narrow>
      </TwoLines>
    ),
  },
  ...figureColumns,
];

function SessionTable({ from, price }: { readonly from: string; readonly price: Price }) {
  const query = useSessions(from);
  const rows = query.data?.pages[0]?.data.slice(0, 20).map(price) ?? [];
  return (
    <QueryView
      query={query}
      lines={6}
      isEmpty={() => rows.length === 0}
      empty={
        <p>
          No sessions in this period. If your agent sends no session ID, send the header X-Svc-Session-Id to
          group the requests of a conversation here.
        </p>
      }
    >
      {() => (
        <DataTable
          label="Usage by session"
          columns={sessionColumns}
          phoneColumns={forPhone(sessionColumns)}
          rows={rows}
          rowKey={({ session_id }) => session_id}
          maxHeight="26rem"
          rowHeight={56}
        />
      )}
    </QueryView>
  );
}
