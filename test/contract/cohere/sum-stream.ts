/** Builds a non-streaming response from the text of a stream. This module shares no code with the code under test. */
import type { Members } from './meaning.ts';

interface Event {
  readonly type: string;
  readonly id?: string;
  readonly index?: number;
  readonly delta?: {
    readonly message?: Members & {
      content?: Members;
      tool_calls?: Members;
      citations?: Members;
      tool_plan?: string;
    };
    readonly finish_reason?: string;
    readonly usage?: Members;
  };
}

export function sumStream(text: string): Members {
  const content: Members[] = [];
  const calls: { id: unknown; type: unknown; function: { name: unknown; arguments: string } }[] = [];
  const citations: unknown[] = [];
  const sum: Members = {};
  let plan = '';
  for (const { type, id, index = 0, delta = {} } of eventsOf(text)) {
    const message = delta.message ?? {};
    if (type === 'message-start') sum.id = id;
    if (type === 'content-start') content[index] = { ...message.content };
    if (type === 'content-delta') addText(content[index]!, message.content ?? {});
    if (type === 'tool-plan-delta') plan += message.tool_plan ?? '';
    if (type === 'tool-call-start')
      calls[index] = structuredClone(message.tool_calls) as (typeof calls)[number];
    if (type === 'tool-call-delta') {
      const piece = (message.tool_calls ?? {}) as { function: { arguments: string } };
      calls[index]!.function.arguments += piece.function.arguments;
    }
    if (type === 'citation-start') citations.push(message.citations);
    if (type === 'message-end')
      Object.assign(sum, { finish_reason: delta.finish_reason, usage: delta.usage });
  }
  return { ...sum, message: { content, tool_calls: calls, citations, tool_plan: plan } };
}

function addText(part: Members, piece: Members): void {
  for (const [name, text] of Object.entries(piece)) part[name] = `${part[name] as string}${text as string}`;
}

function eventsOf(text: string): Event[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice(5)) as Event);
}
