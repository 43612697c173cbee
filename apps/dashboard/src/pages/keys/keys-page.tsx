import { Button } from '@mantine/core';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useKeys } from '../../api/keys.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { CreateKeyDialog, EditKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';
import { KeyTable } from './key-table.tsx';
import type { KeyTask } from './key-table.tsx';
import { ToolListsDialog } from './tool-lists-dialog.tsx';

export function KeysPage() {
  const keys = useKeys();
  const [isCreating, setCreating] = useState(false);
  const [task, setTask] = useState<KeyTask | null>(null);
  const create = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      New key
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Keys"
        description="Agents use these API keys to call the gateway. Each key can have its own limits and tool lists. Other limits are inherited from the account."
        actions={create}
      />
      <QueryView
        query={keys}
        isEmpty={(list) => list.length === 0}
        empty={
          <EmptyState title="No keys yet" icon={KeyRound} action={create}>
            Create a key and use it in your agent instead of the provider’s key.
          </EmptyState>
        }
      >
        {(list) => <KeyTable keys={list} onTask={setTask} />}
      </QueryView>
      <CreateKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <TaskDialogs task={task} onClose={() => setTask(null)} />
    </>
  );
}

function TaskDialogs({ task, onClose }: { readonly task: KeyTask | null; readonly onClose: () => void }) {
  if (task === null) return null;
  const props = { apiKey: task.apiKey, onClose };
  switch (task.kind) {
    case 'edit':
      return <EditKeyDialog {...props} />;
    case 'tools':
      return <ToolListsDialog {...props} />;
    case 'rotate':
      return <RotateKeyDialog {...props} />;
    case 'revoke':
      return <RevokeKeyDialog {...props} />;
  }
}
