import { startReplayProvider, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import { join } from 'node:path';

/** The folder with the repository's small collection of recorded exchanges with tool calls. */
export const recordingsFolder = join(import.meta.dirname, 'recordings');

export const startProvider = (): Promise<ReplayProvider> =>
  startReplayProvider({ recordings: recordingsFolder });

const json = { 'content-type': 'application/json' };

/** A non-streaming text response. */
export const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};

export const plainAnswer: ReplayControls = { status: 200, body: completion, headers: json };

/** Returns one stream frame that contains the text `content`. */
export function renderFrame(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Returns a complete stream with one frame per string. */
export function streamedAnswer(contents: readonly string[]): ReplayControls {
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const frames = [...contents.map(renderFrame), `data: ${JSON.stringify(end)}\n\n`, 'data: [DONE]\n\n'];
  return { status: 200, body: frames.join(''), headers: { 'content-type': 'text/event-stream' } };
}
