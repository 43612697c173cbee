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

/** A recorded session of an agent. */
export interface Transcript {
  readonly id: string;
  /** Which bars hold: by what the tools answer. */
  readonly set: 'json' | 'coding';
  readonly messages: readonly Message[];
  readonly blocks: readonly ContextBlock[];
  /** Positions of what tools answered: see `isObservation`. */
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

/** One message, one block; a call's arguments belong to the turn that makes it. */
function readBlock({ role, content, tool_calls = [] }: Message): ContextBlock {
  const calls = tool_calls.map((call) => `${call.function.name} ${call.function.arguments}`);
  const text = [content ?? '', ...calls].filter((part) => part !== '').join('\n');
  return { speaker: role, text, frozen: role === 'system' };
}

/**
 * A tool's message is one, and so is a user's turn that answers an assistant's turn without a tool call whose text ends in a
 * command: the rule by which the compressor tells them from people's words.
 */
function isObservation(messages: readonly Message[], at: number): boolean {
  const message = messages[at];
  if (message?.role === 'tool') return true;
  const before = messages.slice(0, at).findLast(({ role }) => role === 'assistant');
  return message?.role === 'user' && before !== undefined && endsInCommand(before.content ?? '');
}
