import { Button, Textarea } from '@mantine/core';
import { Send, Square } from 'lucide-react';
import { useState } from 'react';
import classes from './playground.module.css';

interface ComposerProps {
  /** A model is chosen and the tools can be read. */
  readonly isReady: boolean;
  readonly isBusy: boolean;
  /** The model called tools: what is typed is their result. */
  readonly waitsForResult: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** Where the next message is typed. Enter sends it, Shift and Enter begin a new line. */
export function Composer({ isReady, isBusy, waitsForResult, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const maySend = isReady && !isBusy && text.trim() !== '';
  const send = () => {
    if (!maySend) return;
    onSend(text.trim());
    setText('');
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        label={waitsForResult ? 'Result of the tool calls' : 'Message'}
        description={
          waitsForResult ? 'The playground runs no tools: say what they would have answered.' : undefined
        }
        placeholder={waitsForResult ? '{"temperature":4}' : 'What is the weather in Oslo?'}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className={classes.send}>
        {isBusy ? (
          <Button variant="default" leftSection={<Square size={14} aria-hidden />} onClick={onStop}>
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
