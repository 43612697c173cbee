import { ActionIcon, Badge, Menu } from '@mantine/core';
import { Ban, EllipsisVertical, ListChecks, Pencil, RotateCw } from 'lucide-react';
import type { ApiKey } from '../../api/keys.ts';
import type { Column } from '../../components/data-table.tsx';
import { DataTable, TwoLines } from '../../components/data-table.tsx';
import { formatScopes } from '../../components/scope-field.tsx';
import { Count, Dollars, Foreign, Time } from '../../components/values.tsx';
import { readUse, useKeyUse, type KeyUse } from './key-use.ts';
import { useNow } from '../../lib/time.ts';
import { formatCompact, formatCount } from '../../lib/format.ts';

type OnTask = (task: KeyTask) => void;

const limitOf = (apiKey: ApiKey, field: ApiKey['inherited'][number]) => (
  <span title={apiKey.inherited.includes(field) ? 'inherited from the account' : 'set for this key'}>
    {field === 'rate_limit_rpm' ? formatCount(apiKey[field]) : formatCompact(apiKey[field])}
    {apiKey.inherited.includes(field) ? '' : ' *'}
  </span>
);

const nameColumn: Column<ApiKey> = {
  key: 'name',
  header: 'Name and key',
  width: 'minmax(9rem, 2fr)',
  cell: ({ name, prefix, last4 }) => (
    <TwoLines
      second={
        <code>
          {prefix}…{last4}
        </code>
      }
    >
      <strong>
        <Foreign>{name}</Foreign>
      </strong>
    </TwoLines>
  ),
};

/** On a phone, only the end of the key has room. */
const phoneNameColumn: Column<ApiKey> = {
  ...nameColumn,
  header: 'Key',
  width: 'minmax(0, 1fr)',
  cell: ({ name, last4 }) => (
    <TwoLines second={<code>…{last4}</code>}>
      <strong>
        <Foreign>{name}</Foreign>
      </strong>
    </TwoLines>
  ),
};

const timesColumn: Column<ApiKey> = {
  key: 'times',
  header: 'Last used, expires',
  width: '8.25rem',
  cell: ({ last_used_at, expires_at }) => (
    <TwoLines second={<Expiry value={expires_at} />}>
      {last_used_at === null ? 'never used' : <Time value={last_used_at} isRelative />}
    </TwoLines>
  ),
};

/** The columns with the limits of each key, which the form of a key also shows. */
const limitColumns: readonly Column<ApiKey>[] = [
  {
    key: 'rpm',
    header: 'Requests/min',
    width: '6.25rem',
    align: 'end',
    dropOrder: 2,
    cell: (apiKey) => limitOf(apiKey, 'rate_limit_rpm'),
  },
  {
    key: 'grants',
    header: 'Scopes, tools',
    width: '10.5rem',
    dropOrder: 1,
    cell: (apiKey) => (
      <TwoLines second={<ToolRules apiKey={apiKey} />}>{formatScopes(apiKey.scopes)}</TwoLines>
    ),
  },
];

/** The columns with the use of each key. */
const renderUse = ({ period, today }: KeyUse): readonly Column<ApiKey>[] => [
  {
    key: 'spend',
    header: 'Use, 30 days',
    width: '7.25rem',
    align: 'end',
    cell: ({ id }) => (
      <TwoLines
        second={
          <>
            <Count value={readUse(period, id, 'requests')} /> requests
          </>
        }
      >
        <Dollars value={readUse(period, id, 'cost_usd')} />
      </TwoLines>
    ),
  },
  {
    key: 'left',
    header: 'Left today',
    width: '8rem',
    align: 'end',
    cell: (apiKey) => <BudgetLeft apiKey={apiKey} used={readUse(today, apiKey.id, 'net_tokens_saved')} />,
  },
];

interface BudgetLeftProps {
  readonly apiKey: ApiKey;
  /** The saved tokens of today, in UTC. Null or undefined if they are not known. */
  readonly used: number | null | undefined;
}

/** The rest of today's budget of saved tokens, and the budget. */
function BudgetLeft({ apiKey, used }: BudgetLeftProps) {
  if (used === null || used === undefined) return limitOf(apiKey, 'daily_token_budget');
  const left = Math.max(0, apiKey.daily_token_budget - used);
  return (
    <span title={`${formatCount(left)} saved tokens left of the daily budget`}>
      {formatCompact(left)} of {limitOf(apiKey, 'daily_token_budget')}
    </span>
  );
}

const actionsColumn = (onTask: OnTask): Column<ApiKey> => ({
  key: 'actions',
  header: 'Actions',
  width: '3.75rem',
  cell: (apiKey) => <KeyMenu apiKey={apiKey} onTask={onTask} />,
});

/** On a phone, the table shows the use of each key without the budget. */
const forPhone = (use: readonly Column<ApiKey>[]): readonly Column<ApiKey>[] =>
  use.filter(({ key }) => key === 'spend').map((column) => ({ ...column, width: '6.5rem' }));

export function KeyTable({ keys, onTask }: { readonly keys: readonly ApiKey[]; readonly onTask: OnTask }) {
  const use = renderUse(useKeyUse());
  const actions = actionsColumn(onTask);
  return (
    <DataTable
      label="API keys"
      columns={[nameColumn, ...use, timesColumn, ...limitColumns, actions]}
      phoneColumns={[phoneNameColumn, ...forPhone(use), actions]}
      rows={keys}
      rowKey={({ id }) => id}
      rowHeight={56}
    />
  );
}

function Expiry({ value }: { readonly value: string | null }) {
  const nowMs = useNow();
  if (value === null) return 'no expiry';
  if (new Date(value).getTime() > nowMs)
    return (
      <>
        expires <Time value={value} isRelative />
      </>
    );
  return (
    <Badge color="red" variant="light">
      expired
    </Badge>
  );
}

function ToolRules({
  apiKey: { allowed_tools: allowed, denied_tools: denied },
}: {
  readonly apiKey: ApiKey;
}) {
  const rules = [
    ...(allowed === null ? [] : [`${allowed.length} allowed`]),
    ...(denied === null ? [] : [`${denied.length} denied`]),
  ];
  return rules.length === 0 ? 'all tools' : rules.join(', ');
}

const tasks = [
  { kind: 'edit', label: 'Edit name, scopes and limits', Icon: Pencil },
  { kind: 'tools', label: 'Allowed and denied tools', Icon: ListChecks },
  { kind: 'rotate', label: 'Rotate secret', Icon: RotateCw },
  { kind: 'revoke', label: 'Revoke', Icon: Ban },
] as const;

function KeyMenu({ apiKey, onTask }: { readonly apiKey: ApiKey; readonly onTask: OnTask }) {
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <EllipsisVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {tasks.map(({ kind, label, Icon }) => (
          <Menu.Item
            key={kind}
            color={kind === 'revoke' ? 'red' : undefined}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => onTask({ kind, apiKey })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The action in progress, and the API key to which it applies. */
export interface KeyTask {
  readonly kind: 'edit' | 'tools' | 'rotate' | 'revoke';
  readonly apiKey: ApiKey;
}
