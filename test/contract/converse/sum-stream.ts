import { EventStreamCodec } from '@smithy/core/event-streams';
import type { Members } from './meaning.ts';

/**
 * Builds a non-streaming response from a stream's frames, with AWS's own codec. This module shares no code
 * with the code under test.
 */
export interface StreamSum {
  readonly body: Members;
  readonly isStopped: boolean;
  readonly exceptions: readonly unknown[];
}

export interface Frame {
  readonly type: string;
  readonly payload: Members;
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString(),
  (text) => Buffer.from(text),
);

export function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    const { headers, body } = codec.decode(bytes.subarray(at, at + bytes.readUInt32BE(at)));
    const type = headers[':event-type'] ?? headers[':exception-type'];
    frames.push({ type: String(type?.value), payload: JSON.parse(Buffer.from(body).toString()) as Members });
  }
  return frames;
}

export function sumStream(bytes: Buffer): StreamSum {
  const body: Members = {};
  const blocks = new Map<number, Members>();
  const exceptions: unknown[] = [];
  let isStopped = false;
  for (const { type, payload } of framesOf(bytes)) {
    const { contentBlockIndex, ...members } = payload;
    delete members.p;
    if (type.endsWith('Exception')) exceptions.push({ type, message: members.message });
    else if (type === 'messageStop' || type === 'metadata') Object.assign(body, members);
    else if (type.startsWith('contentBlock')) addToBlock(blocks, Number(contentBlockIndex), members);
    isStopped ||= type === 'messageStop';
  }
  const content = [...blocks].sort(([one], [other]) => one - other).map(([, block]) => finishBlock(block));
  body.output = { message: { role: 'assistant', content } };
  return { body, isStopped, exceptions };
}

function addToBlock(blocks: Map<number, Members>, index: number, { start, delta }: Members): void {
  const block = blocks.get(index) ?? {};
  blocks.set(index, block);
  for (const [name, value] of Object.entries((start ?? {}) as Members))
    block[name] = { ...(value as Members) };
  for (const [name, value] of Object.entries((delta ?? {}) as Members)) addDelta(block, name, value);
}

function addDelta(block: Members, name: string, value: unknown): void {
  if (name === 'text') block.text = `${(block.text ?? '') as string}${value as string}`;
  else if (name === 'citation') block.citations = [...((block.citations ?? []) as unknown[]), value];
  else if (name === 'toolResult') {
    const result = (block.toolResult ??= {}) as Members;
    result.content = [...((result.content ?? []) as unknown[]), ...(value as unknown[])];
  } else if (name === 'toolUse') {
    const call = (block.toolUse ??= {}) as Members;
    call.input = `${(call.input ?? '') as string}${(value as { input: string }).input}`;
  } else {
    const grown = (block[name] ??= {}) as Record<string, string>;
    for (const [member, text] of Object.entries(value as Members))
      grown[member] = `${grown[member] ?? ''}${text as string}`;
  }
}

/** Returns a content block in non-streaming form. */
function finishBlock(block: Members): Members {
  const { toolUse, reasoningContent, citations, text } = block;
  if (toolUse !== undefined) {
    const { input, ...rest } = toolUse as { input?: string };
    return { toolUse: { ...rest, input: JSON.parse(input || '{}') as unknown } };
  }
  if (reasoningContent !== undefined) {
    const { redactedContent, ...reasoningText } = reasoningContent as Members;
    return { reasoningContent: redactedContent === undefined ? { reasoningText } : { redactedContent } };
  }
  if (citations === undefined) return block;
  return { citationsContent: { ...(text ? { content: [{ text }] } : {}), citations } };
}
