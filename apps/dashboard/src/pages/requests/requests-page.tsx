import { Button, Menu, Switch } from '@mantine/core';
import { Download, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useMutation } from '@tanstack/react-query';
import type { RequestEntry, RequestFilter, RequestOrder } from '../../api/requests.ts';
import { isNewestFirst, useLiveRequests, useNewRequests, useRequests } from '../../api/requests.ts';
import { PageHeader } from '../../components/page-header.tsx';
import type { Sorting } from '../../components/data-table.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import { changeParam, clearParams } from '../../lib/addresses.ts';
import { requestColumns, requestPhoneColumns, requestRowHeight } from '../../components/request-columns.tsx';
import { RequestFilters } from './request-filters.tsx';
import type { FilterName } from './request-query.ts';
import { filterNames, parseRequestOrder, parseRequestQuery } from './request-query.ts';
import { SavedFilters } from './saved-filters.tsx';
import classes from './requests.module.css';
import { api, unwrap } from '../../api/client.ts';
import { notifyDone } from '../../lib/notices.ts';
import { saveFile } from '../../lib/save-file.ts';

export function RequestsPage() {
  const [params, setParams] = useSearchParams();
  const filter = parseRequestQuery(params);
  const order = parseRequestOrder(params);
  const { until, live, news, reload, setLive } = useLiveList(filter, order);
  const change = (name: FilterName, value: string) =>
    setParams(changeParam(params, name, value), { replace: true });
  const clear = () => setParams(clearParams(params, filterNames));
  const sort = ({ key, isDescending }: Sorting) => {
    const sorted = changeParam(params, 'sort', key === 'created_at' ? null : key);
    setParams(changeParam(sorted, 'order', isDescending ? null : 'asc'), { replace: true });
  };
  return (
    <>
      <PageHeader
        title="Requests"
        description="Every accepted request with the gateway’s decisions."
        actions={
          <div className={classes.actions}>
            <Switch
              label="Live"
              checked={news.isLive}
              onChange={(event) => setLive(event.currentTarget.checked)}
            />
            <SavedFilters filter={filter} />
            <ExportMenu filter={filter} />
          </div>
        }
      />
      <RequestFilters filter={filter} onChange={change} onClear={clear} />
      <NewRequests {...news} filter={filter} onShow={reload} />
      <RequestList {...{ filter, order, until, live }} onClear={clear} onSort={sort} />
    </>
  );
}

/**
 * The state of a list that can be live. A live list with the newest requests first adds new rows. With another order,
 * a live list is loaded again when a new request is logged.
 */
function useLiveList(filter: RequestFilter, order: RequestOrder) {
  const [until, setUntil] = useState(() => new Date().toISOString());
  const [isLive, setLive] = useState(false);
  const isFollowing = isLive && isNewestFirst(order);
  const { rows: live, isBehind } = useLiveRequests(filter, until, isFollowing);
  return {
    until,
    live,
    news: { isLive, isFollowing, isBehind, since: endOf(until, live) },
    reload: () => setUntil(new Date().toISOString()),
    setLive,
  };
}

/** The time just after the newest request in the list. */
function endOf(until: string, [newest]: readonly RequestEntry[]): string {
  if (newest === undefined || newest.created_at < until) return until;
  return new Date(Date.parse(newest.created_at) + 1).toISOString();
}

interface RequestListProps {
  readonly filter: RequestFilter;
  readonly order: RequestOrder;
  readonly until: string;
  readonly live: readonly RequestEntry[];
  readonly onClear: () => void;
  readonly onSort: (sorting: Sorting) => void;
}

function RequestList({ filter, order, until, live, onClear, onSort }: RequestListProps) {
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <PagedTable
      query={useRequests(filter, order, until, live)}
      label="Requests"
      noun="request"
      columns={requestColumns}
      phoneColumns={requestPhoneColumns}
      rowHeight={requestRowHeight}
      sorting={{ key: order.sort, isDescending: order.order === 'desc' }}
      onSort={onSort}
      rowKey={({ id }) => id}
      empty={isFiltered ? <NothingMatches onClear={onClear} /> : <NoRequests />}
      countedMax={countedMax}
    />
  );
}

/**
 * The number of requests at which the gateway stops counting. The gateway limits the count for lists with a time
 * filter, and every list has an end time.
 */
const countedMax = 100_000;

interface NewRequestsProps {
  readonly filter: RequestFilter;
  /** Whether new requests are shown immediately. */
  readonly isLive: boolean;
  /** Whether the list adds new requests itself. */
  readonly isFollowing: boolean;
  /** Whether the list could not add all new requests. */
  readonly isBehind: boolean;
  readonly since: string;
  readonly onShow: () => void;
}

const liveMs = 2_000;
const quietMs = 10_000;

/**
 * Unless the page is live, new requests are shown only when the user clicks a button. Thus, rows do not move while
 * the user reads them.
 */
function NewRequests({ filter, isLive, isFollowing, isBehind, since, onShow }: NewRequestsProps) {
  const everyMs = isFollowing ? null : isLive ? liveMs : quietMs;
  const { data: count = 0 } = useNewRequests(filter, since, everyMs);
  const isShownNow = isBehind || (isLive && !isFollowing && count > 0);
  useEffect(() => {
    if (isShownNow) onShow();
  }, [isShownNow, onShow]);
  return (
    <div className={classes.news} role="status">
      {count === 0 || isLive ? null : (
        <Button size="xs" variant="light" leftSection={<RefreshCw size={14} aria-hidden />} onClick={onShow}>
          Show {formatNumberOf(count, 'new request')}
        </Button>
      )}
    </div>
  );
}

const exportFormats = [
  { format: 'csv', label: 'CSV, for spreadsheets' },
  { format: 'jsonl', label: 'JSON lines, for scripts' },
] as const;
type ExportFormat = (typeof exportFormats)[number]['format'];

function ExportMenu({ filter }: { readonly filter: RequestFilter }) {
  const download = useExport(filter);
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          loading={download.isPending}
          leftSection={<Download size={16} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {exportFormats.map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => download.mutate(format)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function NothingMatches({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title="No matching requests"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Choose a longer period or remove a filter. Requests older than the retention period are deleted.
    </EmptyState>
  );
}

function NoRequests() {
  return (
    <EmptyState
      title="No requests yet"
      action={
        <Button component={Link} to="/playground">
          Open the playground
        </Button>
      }
    >
      A request appears here about a second after it ends. Send the first one from the playground, or follow
      the <Link to="/welcome">Welcome</Link> page.
    </EmptyState>
  );
}

/** Downloads the filtered request log. */
function useExport(filter: RequestFilter) {
  return useMutation({
    mutationFn: async (format: ExportFormat) => {
      const query = { ...filter, format };
      const answer = api.GET('/v1/account/requests/export', { params: { query }, parseAs: 'blob' });
      saveFile(await unwrap(answer), `requests.${format}`);
    },
    onSuccess: () => notifyDone('Requests downloaded.'),
    onError: () => notifyDone('The export failed. Try again in a moment.'),
  });
}
