import { Switch, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useModels, useToggleModel, type ModelStatus } from '../../api/routing.ts';
import { DataTable, TwoLines } from '../../components/data-table.tsx';
import { Foreign, Count, Dollars, Duration, Share } from '../../components/values.tsx';
import { notifyDone } from '../../lib/notices.ts';
import { QueryView, EmptyState, ErrorState } from '../../components/states.tsx';
import type { Column, Sorting } from '../../components/data-table.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import classes from './routing.module.css';
import { sortModels } from './sort-models.ts';

/**
 * Lists the chat models of the connected providers. Each row shows prices, statistics, and whether the gateway may
 * choose the model.
 */
export function ModelsTab() {
  return (
    <QueryView
      query={useModels()}
      lines={14}
      isEmpty={({ data }) => data.length === 0}
      empty={
        <EmptyState title="No models yet">
          Connect a provider on the <Link to="/providers">Providers</Link> page. Its models appear here.
        </EmptyState>
      }
    >
      {({ data }) => <ModelTable models={data} />}
    </QueryView>
  );
}

/** Switches a model on or off. The notification about the change has an undo button. */
function useToggleWithUndo() {
  const toggle = useToggleModel();
  const toggleModel = (model: ModelStatus, is_enabled: boolean) => {
    const { provider, model_id } = model;
    toggle.mutate(
      { provider, model_id, is_enabled },
      {
        onSuccess: () =>
          notifyDone(describeToggle(model.id, is_enabled), () => toggleModel(model, !is_enabled)),
      },
    );
  };
  return { toggle, toggleModel };
}

function ModelTable({ models }: { readonly models: readonly ModelStatus[] }) {
  const [search, setSearch] = useState('');
  const [sorting, setSorting] = useState<Sorting>({ key: 'requests', isDescending: true });
  const { toggle, toggleModel } = useToggleWithUndo();
  const wanted = useDeferredValue(search);
  const rows = useMemo(() => sortModels(models, wanted, sorting), [models, wanted, sorting]);
  return (
    <>
      <div className={classes.controls}>
        <TextInput
          aria-label="Find a model"
          placeholder="Find a model"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <p className={classes.total} role="status">
          {formatNumberOf(rows.length, 'model')}; statistics of the last 7 days; prices in USD per million
          tokens
        </p>
      </div>
      {toggle.isError ? <ErrorState error={toggle.error} /> : null}
      <DataTable
        label="Models"
        columns={modelColumns(toggleModel)}
        phoneColumns={modelPhoneColumns(toggleModel)}
        rows={rows}
        rowKey={({ id }) => id}
        sorting={sorting}
        onSort={setSorting}
      />
    </>
  );
}

const describeToggle = (id: string, isEnabled: boolean) =>
  `${id} is ${isEnabled ? 'enabled' : 'disabled'} for automatic routing.`;

type Change = (model: ModelStatus, isEnabled: boolean) => void;

const enabledColumn = (change: Change): Column<ModelStatus> => ({
  key: 'on',
  header: 'Enabled',
  width: '4.5rem',
  cell: (model) => (
    <Switch
      size="sm"
      aria-label={`${model.id}: enabled for automatic routing`}
      checked={model.is_enabled}
      onChange={(event) => change(model, event.currentTarget.checked)}
    />
  ),
});

/** The columns on a phone. */
const modelPhoneColumns = (change: Change): Column<ModelStatus>[] => [
  {
    key: 'id',
    header: 'Model',
    width: 'minmax(0, 1fr)',
    cell: ({ id, input_cost_usd_per_mtok: input, output_cost_usd_per_mtok: output }) => (
      <TwoLines
        second={
          <>
            <Dollars value={input} /> in, <Dollars value={output} /> out
          </>
        }
      >
        <Foreign>{id}</Foreign>
      </TwoLines>
    ),
  },
  enabledColumn(change),
];

const modelColumns = (change: Change): Column<ModelStatus>[] => [
  enabledColumn(change),
  {
    key: 'id',
    header: 'Model',
    width: 'minmax(11rem, 2fr)',
    isSortable: true,
    cell: ({ id }) => <Foreign>{id}</Foreign>,
  },
  number('context', 'Context', '5.2rem', (model) => <Count value={model.context_window} />, 4),
  number('input', 'Input', '4.2rem', (model) => <Dollars value={model.input_cost_usd_per_mtok} />),
  number('output', 'Output', '4.5rem', (model) => <Dollars value={model.output_cost_usd_per_mtok} />),
  number('cached', 'Cached', '4.6rem', (model) => <Dollars value={model.cache_read_cost_usd_per_mtok} />, 2),
  number('requests', 'Requests', '5.4rem', (model) => <Count value={model.requests} />),
  number('first', 'First token p50', '8.5rem', (model) => <Duration value={model.first_token_p50_ms} />, 3),
  number('first95', 'p95', '4rem', (model) => <Duration value={model.first_token_p95_ms} />, 1),
  number('total', 'Total p50', '5.8rem', (model) => <Duration value={model.total_p50_ms} />, 5),
  number('errors', 'Errors', '4.4rem', (model) => <Share value={model.error_rate} />, 6),
  number('recall', 'Calls served', '7rem', (model) => <Share value={model.tool_recall} />, 7),
];

function number(
  key: string,
  header: string,
  width: string,
  cell: Column<ModelStatus>['cell'],
  dropOrder?: number,
): Column<ModelStatus> {
  return {
    key,
    header,
    width,
    align: 'end',
    isSortable: true,
    cell,
    ...(dropOrder === undefined ? {} : { dropOrder }),
  };
}
