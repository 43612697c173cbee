import type { SseFrame } from './sse-frame.ts';

/** Every end of a line that a reader knows, so that no text can start a line of its own. */
const lineEnd = /\r\n|\r|\n/;

/**
 * An event as it goes over the wire. Data may hold any text: each of its lines becomes a data line (a reader joins them
 * with LF, whatever the line end was).
 *
 * @throws RangeError for an event name or id with a line end, or an id with NUL: those could forge fields.
 */
export function encodeSse({ event, data, id }: SseFrame): string {
  const fields: string[] = [];
  if (event !== undefined) fields.push(`event: ${requireOneLine(event)}`);
  if (id !== undefined) fields.push(`id: ${requireOneLine(id)}`);
  for (const line of data.split(lineEnd)) fields.push(`data: ${line}`);
  return `${fields.join('\n')}\n\n`;
}

function requireOneLine(value: string): string {
  if (lineEnd.test(value) || value.includes('\0')) throw new RangeError('a field of an event is one line');
  return value;
}
