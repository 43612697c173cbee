import type { ChatPart } from '@gateway/interchange';
import { asList, isObject } from '../../json/read-members.ts';
import { parseCachePoint } from '../cache-point.ts';
import { parseBlock } from './parse-block.ts';

/** The blocks of a turn, of the system prompt or of a result. A cache point becomes a mark on what stands before it. */
export function parseContent(content: unknown): ChatPart[] {
  const parts: ChatPart[] = [];
  for (const raw of asList(content)) {
    const marker = isObject(raw) ? parseCachePoint(raw) : undefined;
    const last = parts.at(-1);
    if (marker === undefined || last === undefined || last.cacheMarker !== undefined)
      parts.push(parseBlock(raw));
    else parts[parts.length - 1] = { ...last, cacheMarker: marker };
  }
  return parts;
}
