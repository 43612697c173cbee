import { Button } from '@mantine/core';
import { RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { Composer } from './composer.tsx';
import { pendingCalls, type ChatFormat, type PlaygroundTool } from './conversation.ts';
import { LaneColumn } from './lane-column.tsx';
import { parseTools } from './parse-tools.ts';
import classes from './playground.module.css';
import { SettingsPanel, type Settings } from './settings-panel.tsx';
import { useChat } from './use-chat.ts';

const initially: Settings = {
  model: '',
  format: 'chat-completions' as ChatFormat,
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
  const [pruned, full] = [useChat('pruned'), useChat('full')];
  const lanes = settings.isCompared ? [pruned, full] : [pruned];
  const isBusy = lanes.some((lane) => lane.isBusy);
  const send = (text: string) => {
    const { model, format, stream } = settings;
    for (const lane of lanes) void lane.send(text, { model, format, stream, tools });
  };
  const reset = () => {
    pruned.reset();
    full.reset();
  };
  return (
    <>
      <PageHeader
        title="Playground"
        description="Chat with any connected model, and see which tools were kept, and why. It uses an API key that ends within the hour."
        actions={
          <Button variant="default" leftSection={<RotateCcw size={16} aria-hidden />} onClick={reset}>
            New conversation
          </Button>
        }
      />
      <div className={classes.layout}>
        <SettingsPanel
          settings={settings}
          onChange={(change) => {
            // Lanes that were not asked the same cannot be compared.
            if (change.isCompared !== undefined) reset();
            setSettings((before) => ({ ...before, ...change }));
          }}
          toolsCount={tools.length}
          problem={problem}
        />
        <div className={classes.main}>
          <div className={classes.lanes}>
            <LaneColumn title={settings.isCompared ? 'Pruned' : 'Conversation'} chat={pruned} />
            {settings.isCompared ? <LaneColumn title="Full: every tool goes out" chat={full} /> : null}
          </div>
          <Composer
            isReady={settings.model !== '' && problem === null}
            isBusy={isBusy}
            waitsForResult={lanes.some(({ turns }) => pendingCalls(turns).length > 0)}
            onSend={send}
            onStop={() => lanes.forEach((lane) => lane.stop())}
          />
        </div>
      </div>
    </>
  );
}
