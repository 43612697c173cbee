import { Button } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { Composer } from './composer.tsx';
import type { PlaygroundTool } from '../../chat/conversation.ts';
import { ChatColumn } from './chat-column.tsx';
import { parseTools } from '../../chat/parse-tools.ts';
import classes from './playground.module.css';
import { SettingsPanel, type Settings } from './settings-panel.tsx';
import { useChatColumns, type ChatColumns } from './use-chat.ts';

const initially: Settings = {
  model: '',
  format: 'chat-completions',
  toolsText: '',
  stream: true,
  isCompared: false,
};

/** Parses the tools that the user pasted. The outcome is either the parsed tools or the problem with the pasted text. */
function readTools(text: string): {
  readonly tools: readonly PlaygroundTool[];
  readonly problem: string | null;
} {
  try {
    return { tools: parseTools(text), problem: null };
  } catch (error) {
    return { tools: [], problem: error instanceof Error ? error.message : 'The tools cannot be read.' };
  }
}

export function PlaygroundPage() {
  const [settings, setSettings] = useState(initially);
  const { tools, problem } = useMemo(() => readTools(settings.toolsText), [settings.toolsText]);
  const chats = useChatColumns(settings.isCompared);
  const change = (part: Partial<Settings>) => {
    // Columns that contain different conversations cannot be compared.
    if (part.isCompared !== undefined) chats.reset();
    setSettings((before) => ({ ...before, ...part }));
  };
  const send = (text: string) => {
    const { model, format, stream } = settings;
    for (const column of chats.columns) void column?.send(text, { model, format, stream, tools });
  };
  return (
    <>
      <PageHeader
        title="Playground"
        description="Chat with any connected model and see which tools were forwarded and why. The playground uses an API key that expires within an hour."
        actions={
          <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={chats.reset}>
            New conversation
          </Button>
        }
      />
      <div className={classes.layout}>
        <SettingsPanel settings={settings} onChange={change} toolsCount={tools.length} problem={problem} />
        <div className={classes.main}>
          <Columns chats={chats} />
          <Composer isReady={settings.model !== '' && problem === null} chats={chats} onSend={send} />
        </div>
      </div>
    </>
  );
}

function Columns({ chats: { columns } }: { readonly chats: ChatColumns }) {
  const [pruned, full] = columns;
  return (
    <div className={classes.columns}>
      <ChatColumn title={full === undefined ? 'Conversation' : 'Pruned'} chat={pruned} />
      {full === undefined ? null : <ChatColumn title="All tools" chat={full} />}
    </div>
  );
}
