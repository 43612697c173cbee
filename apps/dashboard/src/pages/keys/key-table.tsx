import { ActionIcon, Badge, Menu } from '@mantine/core';
import { Ban, EllipsisVertical, ListChecks, Pencil, RotateCw } from 'lucide-react';
import type { ApiKey } from '../../api/keys.ts';
import type { Column } from '../../components/data-table.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { formatScopes } from '../../components/scope-field.tsx';
import { Foreign, Time } from '../../components/values.tsx';
import { useNow } from '../../lib/time.ts';
import { formatCompact, formatCount } from '../../lib/format.ts';

type OnTask = (task: KeyTask) => void;

const limitOf = (apiKey: ApiKey, field: ApiKey['inherited'][number]) => (
  <span title={apiKey.inherited.includes(field) ? 'inherited from the account' : 'set for this key'}>
    {field === 'rate_limit_rpm' ? formatCount(apiKey[field]) : formatCompact(apiKey[field])}
    {apiKey.inherited.includes(field) ? '' : ' *'}
  </span>
);

const columns: readonly Column<ApiKey>[] = [
  {
    key: 'name',
    header: 'Name',
    width: 'minmax(9rem, 2fr)',
    cell: ({ name }) => (
      <strong>
        <Foreign>{name}</Foreign>
      </strong>
    ),
  },
  {
    key: 'key',
    header: 'Key',
    width: '10.5rem',
    cell: ({ prefix, last4 }) => (
      <code>
        {prefix}…{last4}
      </code>
    ),
  },
  { key: 'scopes', header: 'Scopes', width: '11rem', cell: ({ scopes }) => formatScopes(scopes) },
  {
    key: 'used',
    header: 'Last used',
    width: '8rem',
    cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time value={last_used_at} isRelative />),
  },
  {
    key: 'expires',
    header: 'Expires',
    width: '8.5rem',
    cell: ({ expires_at }) => <Expiry value={expires_at} />,
  },
  {
    key: 'rpm',
    header: 'Requests/min',
    width: '6.5rem',
    align: 'end',
    cell: (apiKey) => limitOf(apiKey, 'rate_limit_rpm'),
  },
  {
    key: 'daily',
    header: 'Tokens/day',
    width: '6rem',
    align: 'end',
    cell: (apiKey) => limitOf(apiKey, 'daily_token_budget'),
  },
  { key: 'tools', header: 'Tools', width: '7rem', cell: (apiKey) => <ToolRules apiKey={apiKey} /> },
];

const actionsColumn = (onTask: OnTask): Column<ApiKey> => ({
  key: 'actions',
  header: 'Actions',
  width: '3.5rem',
  cell: (apiKey) => <KeyMenu apiKey={apiKey} onTask={onTask} />,
});

export function KeyTable({ keys, onTask }: { readonly keys: readonly ApiKey[]; readonly onTask: OnTask }) {
  return (
    <DataTable
      label="API keys"
      columns={[...columns, actionsColumn(onTask)]}
      rows={keys}
      rowKey={({ id }) => id}
      rowHeight={52}
      minWidth="77rem"
    />
  );
}

function Expiry({ value }: { readonly value: string | null }) {
  const nowMs = useNow();
  if (value === null) return 'never';
  if (new Date(value).getTime() > nowMs) return <Time value={value} isRelative />;
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
  return rules.length === 0 ? 'all' : rules.join(', ');
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
