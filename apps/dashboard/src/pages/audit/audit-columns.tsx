import type { AuditEvent } from '../../api/audit.ts';
import { TwoLines, type Column } from '../../components/data-table.tsx';
import { Foreign, Time, Unknown } from '../../components/values.tsx';
import { actionLabels, describeActor, describeChanges } from './describe-event.ts';

/** A text that may be longer than its table column. The tooltip shows the whole text. */
function LongText({ text }: { readonly text: string | null }) {
  if (text === null || text === '') return <Unknown />;
  return (
    <span title={text}>
      <Foreign>{text}</Foreign>
    </span>
  );
}

/** The columns of the audit log (time, actor, action, target and origin). */
export const auditColumns: readonly Column<AuditEvent>[] = [
  {
    key: 'time',
    header: 'When',
    width: 'minmax(10.75rem, 1fr)',
    cell: ({ created_at }) => <Time value={created_at} />,
  },
  {
    key: 'actor',
    header: 'Who',
    width: 'minmax(7rem, 1.2fr)',
    cell: (event) => <LongText text={describeActor(event)} />,
  },
  {
    key: 'action',
    header: 'What',
    width: 'minmax(8rem, 1fr)',
    cell: ({ action }) => <LongText text={actionLabels[action]} />,
  },
  {
    key: 'target',
    header: 'Target',
    width: 'minmax(7rem, 1fr)',
    dropOrder: 2,
    cell: ({ target }) => <LongText text={target?.name ?? target?.id ?? null} />,
  },
  {
    key: 'changes',
    header: 'Changes',
    width: 'minmax(9rem, 1.6fr)',
    cell: (event) => <LongText text={describeChanges(event)} />,
  },
  {
    key: 'address',
    header: 'From where',
    width: 'minmax(8rem, 1fr)',
    dropOrder: 1,
    cell: ({ address, user_agent }) => (
      <LongText text={[address, user_agent].filter((part) => part !== null).join(' · ')} />
    ),
  },
];

/** The columns on a phone. */
export const auditPhoneColumns: readonly Column<AuditEvent>[] = [
  {
    key: 'action',
    header: 'What',
    width: 'minmax(0, 1fr)',
    cell: (event) => (
      <TwoLines second={<LongText text={describeActor(event)} />}>
        <LongText text={actionLabels[event.action]} />
      </TwoLines>
    ),
  },
  {
    key: 'time',
    header: 'When',
    width: '8rem',
    cell: ({ created_at }) => <Time value={created_at} isRelative />,
  },
];
