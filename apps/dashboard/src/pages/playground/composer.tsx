import { Button, Textarea } from '@mantine/core';
import { Send, Square } from 'lucide-react';
import { useState } from 'react';
import classes from './playground.module.css';
import type { ChatColumns } from './use-chat.ts';

interface ComposerProps {
  /** Whether the user can send a message now. The user must have selected a model, and the pasted tools must be valid. */
  readonly isReady: boolean;
  readonly chats: ChatColumns;
  readonly onSend: (text: string) => void;
}

/** The form with which the user writes the next message. Enter sends the message, and Shift+Enter starts a new line. */
export function Composer({ isReady, chats, onSend }: ComposerProps) {
  const [text, setText] = useState('');
  const { isBusy, waitsForResult, stop } = chats;
  const maySend = isReady && !isBusy && text.trim() !== '';
  const send = () => {
    if (!maySend) return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form
      className={classes.composer}
      aria-label="Next message"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <MessageField text={text} onChange={setText} onEnter={send} waitsForResult={waitsForResult} />
      <div className={classes.send}>
        {isBusy ? (
          <Button variant="default" leftSection={<Square size={14} aria-hidden />} onClick={stop}>
            Stop
          </Button>
        ) : null}
        <Button
          type="submit"
          disabled={!maySend}
          loading={isBusy}
          leftSection={<Send size={16} aria-hidden />}
        >
          Send
        </Button>
      </div>
    </form>
  );
}

interface MessageFieldProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onEnter: () => void;
  readonly waitsForResult: boolean;
}

function MessageField({ text, onChange, onEnter, waitsForResult }: MessageFieldProps) {
  const words = waitsForResult
    ? {
        label: 'Result of the tool calls',
        description: 'The playground does not run tools. Enter the result that the tools would return.',
        placeholder: '{"temperature":4}',
      }
    : { label: 'Message', placeholder: 'What is the weather in Oslo?' };
  return (
    <Textarea
      {...words}
      autosize
      minRows={2}
      maxRows={8}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}
