import { startReplayProvider, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import { join } from 'node:path';

/** A few recorded exchanges with tool calls, for machines that have no others. */
export const recordingsFolder = join(import.meta.dirname, 'recordings');

export const startProvider = (): Promise<ReplayProvider> =>
  startReplayProvider({ recordings: recordingsFolder });

const json = { 'content-type': 'application/json' };

/** A plain answer in which the model says something. */
export const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
};

export const plainAnswer: ReplayControls = { status: 200, body: completion, headers: json };

/** One frame of a stream, in which the model says `content`. */
export function renderFrame(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** A stream that says these one by one, and ends as it should. */
export function streamedAnswer(contents: readonly string[]): ReplayControls {
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const frames = [...contents.map(renderFrame), `data: ${JSON.stringify(end)}\n\n`, 'data: [DONE]\n\n'];
  return { status: 200, body: frames.join(''), headers: { 'content-type': 'text/event-stream' } };
}
