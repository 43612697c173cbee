import type { ChatRequest, Extensions, Loss } from '@gateway/interchange';
import { asObject } from '../../json/read-members.ts';
import { readOwn } from '../own-extensions.ts';

/** Markers of another format's client: OpenAI caches by itself, and refuses members that it does not know. */
export function findCacheLosses({ messages, tools }: ChatRequest): Loss[] {
  const inParts = messages.flatMap((message, index) =>
    message.parts
      .map((part, at) => ({ part, field: `messages[${index}].parts[${at}]` }))
      .filter(({ part }) => part.cacheMarker !== undefined && !isSpelled(part) && !isSpelled(message))
      .map(({ field }) => field),
  );
  const inTools = tools
    .map((tool, index) => ({ tool, field: `tools[${index}]` }))
    .filter(({ tool }) => tool.kind !== 'built-in' && tool.cacheMarker !== undefined && !isSpelled(tool))
    .map(({ field }) => field);
  return [...inParts, ...inTools].map((field) => ({
    field: `${field}.cache_control`,
    reason: 'the format has no such member',
  }));
}

/** Whether the client wrote the marker in this very format: a tool may have it in its function. */
function isSpelled(holder: { readonly extensions?: Extensions }): boolean {
  const own = readOwn(holder);
  return [own, asObject(own.function)].some((members) => members?.cache_control !== undefined);
}
