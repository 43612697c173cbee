import type { CompressBlocksReply } from '@gateway/contracts';
import type { ContextPart } from '@gateway/wire-formats';
import { charactersPerToken } from '../../../../request/token-estimates.ts';
import type { ContextEdits } from '../../../exchange/tool-plan.ts';
import type { ContextSubject } from './context-subject.ts';

type BlockResults = Extract<CompressBlocksReply, { status: 'compressed' }>['results'];
type ContextStep = BlockResults[number]['steps'][number];

interface PartEdit {
  /**
   * The position of the text among the parts of the message. Cache markers that move into or out of the message do
   * not change the position.
   */
  readonly part: number;
  /** The JSON string that replaces the text. */
  readonly replacement: string;
}

/**
 * The form in which a message is sent. The gateway chooses the form when the message first arrives, and uses the
 * form in all later requests.
 */
export interface MessageEdits {
  /**
   * The replacements for text, in the order of the message's parts. A message that is sent unchanged has an
   * empty list of replacements.
   */
  readonly edits: readonly PartEdit[];
  readonly steps: readonly ContextStep[];
  /** Ids of the markers for the removed text. */
  readonly markers: readonly string[];
  /** Keys under which exact token counts of the message can be found. */
  readonly blocks: readonly string[];
  /**
   * Whether the compression of the message was too late. If a message was not compressed in time, all later turns
   * also send it unchanged.
   */
  readonly wasLate: boolean;
}

export const sentUnchanged: MessageEdits = { edits: [], steps: [], markers: [], blocks: [], wasLate: true };

/**
 * Maximum number of ids that are stored with a request. A conversation may have thousands of marker ids. If the
 * conversation has more than 64 ids, the newest 64 are stored.
 */
const idsMax = 64;

/**
 * Collects, for each message, replacements for whole JSON strings. No replacement is longer than the original
 * string.
 */
export function collectEdits(
  parts: readonly ContextPart[],
  results: BlockResults,
): Map<number, MessageEdits> {
  const byMessage = new Map<
    number,
    { edits: PartEdit[]; steps: ContextStep[]; markers: string[]; blocks: string[] }
  >();
  let firstOfMessage = 0;
  for (const [at, { text, steps, markers, id }] of results.entries()) {
    const part = parts[at];
    if (part === undefined) break;
    if (part.message !== parts[firstOfMessage]?.message) firstOfMessage = at;
    if (text === null || part.range === undefined) continue;
    const replacement = JSON.stringify(text);
    if (Buffer.byteLength(replacement) > part.range.end - part.range.start) continue;
    const found = byMessage.get(part.message) ?? { edits: [], steps: [], markers: [], blocks: [] };
    byMessage.set(part.message, found);
    found.edits.push({ part: at - firstOfMessage, replacement });
    found.steps.push(...steps);
    found.markers.push(...markers);
    if (id !== undefined) found.blocks.push(id);
  }
  return new Map([...byMessage].map(([index, found]) => [index, { ...found, wasLate: false }]));
}

/** Combines the edits of all messages, at their positions in the request body. */
export function joinEdits(
  { outline: { messages }, candidates, parts, tape }: ContextSubject,
  editsFor: (index: number) => MessageEdits,
  { tailStart, unknown }: { tailStart: number; unknown: readonly number[] },
): Pick<ContextEdits, 'edits' | 'steps' | 'markers' | 'blocks' | 'tokens' | 'isCompressed'> {
  const edits: ContextEdits['edits'][number][] = [];
  const steps: ContextStep[] = [];
  const markers: string[] = [];
  const blocks: string[] = [];
  const saved = { new: 0, again: 0 };
  let next = 0;
  for (const index of candidates) {
    const message = editsFor(index);
    while ((parts[next]?.message ?? Infinity) < index) next += 1;
    for (const { part, replacement } of message.edits) {
      const range = parts[next + part]?.range;
      if (range !== undefined) edits.push({ ...range, replacement });
    }
    steps.push(...message.steps);
    markers.push(...message.markers);
    if (index >= tailStart) blocks.push(...message.blocks);
    saved[index < tailStart ? 'again' : 'new'] += sumSaved(message.steps);
  }
  const changed = unknown.find((index) => index < tailStart && editsFor(index).edits.length > 0);
  const from = changed === undefined ? undefined : messages[changed]?.range.start;
  const end = messages[tailStart - 1]?.range.end ?? 0;
  const rewritten = from === undefined ? 0 : estimateTokens(tape.bytes.subarray(from, end));
  const tokens = { savedNew: saved.new, savedAgain: saved.again, rewritten };
  const isCompressed = candidates.some((index) => !editsFor(index).wasLate);
  return {
    edits,
    steps,
    markers: markers.slice(-idsMax),
    blocks: blocks.slice(-idsMax),
    tokens,
    isCompressed,
  };
}

function sumSaved(steps: readonly ContextStep[]): number {
  return steps.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, 0);
}

function estimateTokens(bytes: Uint8Array): number {
  return Math.ceil(bytes.length / charactersPerToken);
}
