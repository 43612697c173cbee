import { isMembers, type Members } from './meaning.ts';

/**
 * Builds a non-streaming response from the text of a stream, like the official clients do. This module shares
 * no code with the code under test.
 */
export interface StreamSum {
  readonly body: Members;
  readonly isEnded: boolean;
  readonly errors: readonly unknown[];
  /** The names of events in which the data's `type` field is missing or differs from the event name. */
  readonly misnamed: readonly string[];
}

export function sumStream(text: string): StreamSum {
  // Two recordings contain a second response after the end of the first response.
  // This parser reads only the first response in a recording.
  const end = text.search(/(?<=event: message_stop\r?\ndata: .*\r?\n\r?\n)./);
  const frames = text
    .slice(0, end === -1 ? undefined : end)
    .split(/\r?\n\r?\n/)
    .map(readFrame)
    .filter((frame) => frame !== undefined);
  const events = frames.map(({ data }) => JSON.parse(data) as Members);
  let body: Members = { content: [] };
  for (const event of events) body = addEvent(body, event);
  return {
    body: { ...body, content: (body.content as Members[]).map(finishBlock) },
    isEnded: events.some(({ type }) => type === 'message_stop' || type === 'message'),
    errors: events.filter(({ type }) => type === 'error').map(({ error }) => error),
    misnamed: frames.filter(({ name }, at) => name !== events[at]!.type).map(({ name }) => name),
  };
}

/**
 * Returns true for a stream with a second message inside the first message. The official client rejects a
 * stream in which one message contains another.
 */
export function isSpliced(text: string): boolean {
  const [first] = text.split('event: message_stop');
  return (first!.match(/^event: *message_start\s*$/gm) ?? []).length > 1;
}

function readFrame(block: string): { name: string; data: string } | undefined {
  const lines = block.split(/\r?\n/);
  const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart());
  const name = lines.find((line) => line.startsWith('event:'));
  return data.length === 0 ? undefined : { name: name?.slice(6).trim() ?? '', data: data.join('\n') };
}

function addEvent(body: Members, event: Members): Members {
  const content = body.content as Members[];
  const index = event.index as number;
  switch (event.type) {
    case 'message_start':
      return structuredClone(event.message) as Members;
    case 'message':
      return structuredClone(event);
    case 'content_block_start':
      content[index] = structuredClone(event.content_block) as Members;
      return body;
    case 'content_block_delta':
      addDelta(content[index]!, event.delta as Members);
      return body;
    case 'message_delta': {
      const { delta, usage, ...beside } = event;
      const merged = { ...(body.usage as Members), ...withoutNulls(usage) };
      return { ...body, ...(delta as Members), ...beside, type: body.type, usage: merged };
    }
    default:
      return body;
  }
}

function addDelta(block: Members, delta: Members): void {
  const { type, ...members } = delta;
  switch (type) {
    case 'text_delta':
      block.text = `${asText(block.text)}${asText(delta.text)}`;
      return;
    case 'thinking_delta':
      block.thinking = `${asText(block.thinking)}${asText(delta.thinking)}`;
      return;
    case 'input_json_delta':
      block.json = `${asText(block.json)}${asText(delta.partial_json)}`;
      return;
    case 'citations_delta':
      block.citations = [...((block.citations ?? []) as unknown[]), delta.citation];
      return;
    default:
      Object.assign(block, members);
  }
}

/**
 * Parses the input of a finished tool call. Truncated input stays a string, so that the test can compare
 * it.
 */
function finishBlock({ json, ...block }: Members): Members {
  if (json === undefined || json === '') return block;
  try {
    return { ...block, input: JSON.parse(asText(json)) as unknown };
  } catch {
    return { ...block, input: json };
  }
}

function withoutNulls(value: unknown): Members {
  return isMembers(value) ? Object.fromEntries(Object.entries(value).filter(([, m]) => m !== null)) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
