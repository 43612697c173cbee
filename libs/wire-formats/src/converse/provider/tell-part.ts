import type { ChatPart, StreamEvent } from '@gateway/interchange';

/** The events that a whole part would have been in a stream. */
export function tellPart(part: ChatPart, block: number): StreamEvent[] {
  const place = { choice: 0, block };
  const extensions = part.extensions === undefined ? {} : { extensions: part.extensions };
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start', ...place, ...extensions },
        ...(part.text === '' ? [] : [{ type: 'text-delta', ...place, text: part.text } as const]),
        ...(part.citations ?? []).map((citation) => ({ type: 'citation', ...place, citation }) as const),
        { type: 'text-end', ...place },
      ];
    case 'thinking': {
      const signature = part.signature === undefined ? {} : { signature: part.signature };
      const redacted = part.redacted === undefined ? {} : { redacted: part.redacted };
      return [
        { type: 'thinking-start', ...place, ...extensions },
        ...(part.text === '' ? [] : [{ type: 'thinking-delta', ...place, text: part.text } as const]),
        { type: 'thinking-end', ...place, ...signature, ...redacted },
      ];
    }
    case 'tool-call':
      return [
        { type: 'tool-call-start', ...place, id: part.id, name: part.name, kind: part.kind, ...extensions },
        { type: 'tool-call-delta', ...place, argumentsText: part.argumentsText },
        { type: 'tool-call-end', ...place },
      ];
    case 'image':
    case 'document':
    case 'audio':
    case 'opaque':
      return [{ type: 'part', ...place, part }];
    // Neither is a block of an answer: `parseBlock` reads a result in one as opaque, and makes no refusals.
    case 'tool-result':
    case 'refusal':
      return [];
  }
}
