import { createHash, hash, type Hash } from 'node:crypto';
import type { MessageOutline, RequestOutline } from '@gateway/interchange';
import type { SessionNames } from '../pipeline/exchange/tool-plan.ts';

/** Of a message's texts, what goes into the name beside their length: as they stand in the body, so that none is decoded. */
const bytesMax = 1_000;

/**
 * Names a transcript by what is said and called in it, not by its bytes: cache markers that a client moves from turn to
 * turn, or a result that it shortens, make no other session of it.
 *
 * @param owner account and tool list: what is remembered of one holds for no other.
 * @param body what the outline was made of.
 * @param clientName the client's header, which groups requests for sampling alone.
 */
export function nameSession(
  owner: string,
  { messages }: Pick<RequestOutline, 'messages'>,
  body: Buffer,
  clientName: string | undefined,
): SessionNames {
  const all = createHash('sha256').update(owner);
  const firstTurn = messages.findIndex(isModels);
  const lastTurn = startOfLastTurn(messages);
  let before: string | null = null;
  let head: string | undefined;
  for (const [at, message] of messages.entries()) {
    if (at === firstTurn) head = digestOf(all);
    if (at === lastTurn) before = digestOf(all);
    addMessage(all, message, body);
  }
  const here = digestOf(all);
  const session = hash('sha256', `${owner}\n${clientName ?? head ?? here}`);
  return { here, before, session };
}

function isModels({ role }: MessageOutline): boolean {
  return role === 'assistant';
}

/** The model's messages in a row are one turn. */
function startOfLastTurn(messages: readonly MessageOutline[]): number {
  let at = messages.findLastIndex(isModels);
  while (at > 0 && messages[at - 1]?.role === 'assistant') at -= 1;
  return at;
}

function addMessage(
  all: Hash,
  { role, toolCalls, toolResultIds, ...message }: MessageOutline,
  body: Buffer,
): void {
  const ids = [...toolCalls.map(({ id, name }) => `${id}:${name}`), ...toolResultIds].join(',');
  // Results are known by the calls that they answer; their texts may be long, and clients cut them.
  const isResult = role === 'tool' || toolResultIds.length > 0;
  const ranges = isResult ? [] : message.textRanges();
  const length = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  all.update(`${role}\n${ids}\n${length}\n`);
  let left = bytesMax;
  for (const { start, end } of ranges) {
    if (left <= 0) break;
    all.update(body.subarray(start, Math.min(end, start + left)));
    left -= end - start;
  }
}

function digestOf(all: Hash): string {
  return all.copy().digest('base64url');
}
