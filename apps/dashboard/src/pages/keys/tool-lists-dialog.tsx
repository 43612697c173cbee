import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { useSetToolLists, type ApiKey, type ToolLists } from '../../api/keys.ts';
import { notifyDone } from '../../lib/notices.ts';
import type { KeyDialogProps } from './key-dialogs.tsx';
import { changeToolNames, renderToolNames } from './key-fields.ts';
import { TaskDialog } from './task-dialog.tsx';

/** The tools that an API key may and may not use. The tool lists are applied before pruning. */
export function ToolListsDialog({ apiKey, onClose }: KeyDialogProps) {
  const [allowed, setAllowed] = useState(renderToolNames(apiKey.allowed_tools));
  const [denied, setDenied] = useState(renderToolNames(apiKey.denied_tools));
  const save = useSetToolLists();
  const submit = () =>
    save.mutate(
      { keyId: apiKey.id, body: renderLists(apiKey, allowed, denied) },
      {
        onSuccess: (saved) => {
          notifyDone(describeSaved(apiKey, saved));
          onClose();
        },
      },
    );
  return (
    <TaskDialog
      title="Allowed and denied tools"
      action="Save"
      onClose={onClose}
      onSubmit={submit}
      isBusy={save.isPending}
      error={save.error}
    >
      <ToolList
        label="Allowed tools"
        description="One name per line, exactly as agents send it. Blank = all tools except denied ones."
        value={allowed}
        onChange={setAllowed}
      />
      <ToolList
        label="Denied tools"
        description="Always removed, even if allowed above."
        value={denied}
        onChange={setDenied}
      />
      <ScopeNote scopes={apiKey.scopes} />
    </TaskDialog>
  );
}

function describeSaved(before: ApiKey, { name, scopes }: ApiKey): string {
  const losesManage = before.scopes.includes('manage') && !scopes.includes('manage');
  const lost = losesManage ? ' It no longer has the scope Manage.' : '';
  return `Tool lists of “${name}” saved.${lost}`;
}

function ScopeNote({ scopes }: Pick<ApiKey, 'scopes'>) {
  if (!scopes.includes('manage')) return null;
  return (
    <p>
      A change of the tool lists removes the scope Manage from the key. You can add the scope again with Edit.
    </p>
  );
}

function renderLists({ allowed_tools, denied_tools }: ApiKey, allowed: string, denied: string): ToolLists {
  return {
    allowed_tools: changeToolNames(allowed_tools, allowed),
    denied_tools: changeToolNames(denied_tools, denied),
  };
}

interface ToolListProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ToolList({ label, description, value, onChange }: ToolListProps) {
  return (
    <Textarea
      label={label}
      description={description}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      rows={6}
      spellCheck={false}
    />
  );
}
