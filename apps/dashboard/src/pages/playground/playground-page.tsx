import { Button } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { Composer } from './composer.tsx';
import type { PlaygroundTool } from './conversation.ts';
import { LaneColumn } from './lane-column.tsx';
import { parseTools } from './parse-tools.ts';
import classes from './playground.module.css';
import { SettingsPanel, type Settings } from './settings-panel.tsx';
import { useLanes, type LaneChats } from './use-chat.ts';

const initially: Settings = {
  model: '',
  format: 'chat-completions',
  toolsText: '',
  stream: true,
  isCompared: false,
};

/** What is pasted, or why it is nothing yet. */
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
  const chats = useLanes(settings.isCompared);
  const change = (part: Partial<Settings>) => {
    // Lanes that were not asked the same cannot be compared.
    if (part.isCompared !== undefined) chats.reset();
    setSettings((before) => ({ ...before, ...part }));
  };
  const send = (text: string) => {
    const { model, format, stream } = settings;
    for (const lane of chats.lanes) void lane?.send(text, { model, format, stream, tools });
  };
  return (
    <>
      <PageHeader
        title="Playground"
        description="Chat with any connected model, and see which tools were kept, and why. It uses an API key that ends within the hour."
        actions={
          <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={chats.reset}>
            New conversation
          </Button>
        }
      />
      <div className={classes.layout}>
        <SettingsPanel settings={settings} onChange={change} toolsCount={tools.length} problem={problem} />
        <div className={classes.main}>
          <Lanes chats={chats} />
          <Composer isReady={settings.model !== '' && problem === null} chats={chats} onSend={send} />
        </div>
      </div>
    </>
  );
}

function Lanes({ chats: { lanes } }: { readonly chats: LaneChats }) {
  const [pruned, full] = lanes;
  return (
    <div className={classes.lanes}>
      <LaneColumn title={full === undefined ? 'Conversation' : 'Pruned'} chat={pruned} />
      {full === undefined ? null : <LaneColumn title="Full: every tool goes out" chat={full} />}
    </div>
  );
}
