import { useCallback, useRef, useState } from 'react';
import type { Lane } from '../../api/playground.ts';
import { addInput, pendingCalls, type ChatFormat, type PlaygroundTool, type Turn } from './conversation.ts';
import { sendChat, type Reply } from './send-chat.ts';

export interface ChatSettings {
  readonly model: string;
  readonly format: ChatFormat;
  readonly tools: readonly PlaygroundTool[];
  readonly stream: boolean;
}

/** A conversation in one lane: its turns, and the reply that is coming or came last. */
export interface LaneChat {
  readonly sessionId: string;
  readonly turns: readonly Turn[];
  readonly reply: Reply | null;
  readonly isBusy: boolean;
  readonly send: (text: string, settings: ChatSettings) => Promise<void>;
  readonly stop: () => void;
  readonly reset: () => void;
}

const newSessionId = () => `playground-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

export function useChat(lane: Lane): LaneChat {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [reply, setReply] = useState<Reply | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [sessionId, setSessionId] = useState(newSessionId);
  const abort = useRef<AbortController>(undefined);

  const send = useCallback(
    async (text: string, settings: ChatSettings) => {
      const controller = new AbortController();
      abort.current = controller;
      const asked = addInput(turns, text);
      setTurns(asked);
      setReply(null);
      setBusy(true);
      const chat = { ...settings, lane, turns: asked, sessionId };
      const done = await sendChat(chat, { onProgress: setReply, signal: controller.signal });
      if (abort.current !== controller) return;
      setBusy(false);
      // A question without an answer is taken back: a conversation that goes on from it would be refused.
      const { text: said, calls } = done.answer;
      const isAnswered = said !== '' || calls.length > 0;
      setTurns(isAnswered ? [...asked, { role: 'assistant', text: said, calls }] : turns);
    },
    [lane, turns, sessionId],
  );
  const stop = useCallback(() => abort.current?.abort(), []);
  const reset = useCallback(() => {
    abort.current?.abort();
    abort.current = undefined;
    setSessionId(newSessionId());
    setTurns([]);
    setReply(null);
    setBusy(false);
  }, []);
  return { sessionId, turns, reply, isBusy, send, stop, reset };
}

/** The conversations that are held side by side. */
export interface LaneChats {
  readonly lanes: readonly [pruned: LaneChat, full?: LaneChat];
  readonly isBusy: boolean;
  /** A model called tools: what is said next is their result. */
  readonly waitsForResult: boolean;
  readonly stop: () => void;
  readonly reset: () => void;
}

export function useLanes(isCompared: boolean): LaneChats {
  const [pruned, full] = [useChat('pruned'), useChat('full')];
  const lanes: LaneChats['lanes'] = isCompared ? [pruned, full] : [pruned];
  const shown = lanes.filter((lane) => lane !== undefined);
  return {
    lanes,
    isBusy: shown.some((lane) => lane.isBusy),
    waitsForResult: shown.some(({ turns }) => pendingCalls(turns).length > 0),
    stop: () => shown.forEach((lane) => lane.stop()),
    reset: () => {
      pruned.reset();
      full.reset();
    },
  };
}
