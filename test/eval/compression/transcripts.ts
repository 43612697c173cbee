import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContextBlock } from '../../../apps/compressor/src/compress-blocks/context-block.ts';
import { endsInCommand } from '../../../apps/compressor/src/text/classify-text.ts';

interface ToolCall {
  readonly id?: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Message {
  readonly role: ContextBlock['speaker'];
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

/** A recorded agent session. */
export interface Transcript {
  readonly id: string;
  /** The kind of tool results in the transcript. Each kind has its own acceptance criteria. */
  readonly set: 'json' | 'coding';
  readonly messages: readonly Message[];
  readonly blocks: readonly ContextBlock[];
  /** The indexes of tool results in the messages (see `isObservation`). */
  readonly observations: ReadonlySet<number>;
}

export function loadTranscripts(folder: string): Transcript[] {
  const text = readFileSync(join(folder, 'transcripts.jsonl'), 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) =>
    readTranscript(JSON.parse(line) as { id: string; kind: string; messages: Message[] }),
  );
}

function readTranscript({
  id,
  kind,
  messages,
}: {
  id: string;
  kind: string;
  messages: Message[];
}): Transcript {
  const set = /json/i.test(kind) ? 'json' : 'coding';
  const observations = new Set(messages.flatMap((_, at) => (isObservation(messages, at) ? [at] : [])));
  return { id, set, messages, blocks: messages.map(readBlock), observations };
}

/**
 * Converts one message to one context block. A turn with a tool call also contains the arguments of the
 * call.
 */
function readBlock({ role, content, tool_calls = [] }: Message): ContextBlock {
  const calls = tool_calls.map((call) => `${call.function.name} ${call.function.arguments}`);
  const text = [content ?? '', ...calls].filter((part) => part !== '').join('\n');
  return { speaker: role, text, frozen: role === 'system' };
}

/**
 * Returns true if a message is an observation (output of a tool or command). Every tool message is an
 * observation. A user turn is also an observation if the assistant turn before it has no tool calls and ends
 * with a command. The compressor also uses this rule to tell observations from user text.
 */
function isObservation(messages: readonly Message[], at: number): boolean {
  const message = messages[at];
  if (message?.role === 'tool') return true;
  const before = messages.slice(0, at).findLast(({ role }) => role === 'assistant');
  return message?.role === 'user' && before !== undefined && endsInCommand(before.content ?? '');
}
