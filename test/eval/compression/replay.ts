import { ConversationCompressor } from '../../../apps/compressor/src/compress-blocks/conversation.ts';
import type {
  BlockOutcome,
  CompressionSettings,
} from '../../../apps/compressor/src/compress-blocks/context-block.ts';
import { resolveReferences } from '../../../apps/compressor/src/compress-blocks/references/resolve-references.fixture.ts';
import type { BilledTurn } from './billed-cost.ts';
import { measureRetention, type Retention } from './retention.ts';
import { messageTokens, tokensOf } from './token-table.ts';
import type { Transcript } from './transcripts.ts';

/**
 * The replay of one transcript. For each turn, the client's request and the request to the provider.
 */
export interface Replay {
  readonly original: readonly BilledTurn[];
  readonly sent: readonly BilledTurn[];
  /**
   * The number of turns after the first turn. `stableTurns` counts the turns in which the request starts with
   * all bytes of the previous request.
   */
  readonly turns: number;
  readonly stableTurns: number;
  /** The number of turns in which the edge cleared old tool results (declared clears). */
  readonly clears: number;
  readonly observationTokens: { readonly before: number; readonly after: number };
  readonly retention: Retention;
  readonly outcomes: readonly BlockOutcome[];
}

/**
 * Replays a transcript. Every prefix of the transcript that ends with a user or tool message becomes one
 * request. The compressor receives each request without earlier compression results.
 * @param clearBefore returns the index of the first message with tool results that are not old enough to clear
 */
export function replay(
  transcript: Transcript,
  settings: CompressionSettings | null,
  clearBefore: (end: number) => number = () => 0,
): Replay {
  const { blocks, messages, observations } = transcript;
  const ends = messages.flatMap(({ role }, at) => (role === 'assistant' && at > 0 ? [at] : []));
  const texts = blocks.map(({ text }) => text);
  const retention = { values: 0, inContext: 0, recoverable: 0 };
  const sentTurns: BilledTurn[] = [];
  let [stableTurns, clears, clearedBefore] = [0, 0, 0];
  let last: string[] = [];
  let outcomes: BlockOutcome[] = [];
  for (const end of ends) {
    const before = clearBefore(end);
    if (before !== clearedBefore) clears += 1;
    clearedBefore = before;
    outcomes = compressAll(transcript, end, settings, clearedBefore);
    const sent = outcomes.map(({ text }, at) => text ?? texts[at] ?? '');
    const shared = commonLength(last, sent);
    if (shared === last.length && last.length > 0) stableTurns += 1;
    sentTurns.push({ sharedTokens: sumTokens(sent.slice(0, shared)), tokens: sumTokens(sent) });
    const message = messages[end];
    if (message !== undefined) {
      addRetention(
        retention,
        measureRetention(message, texts.slice(0, end), followed(sent), omittedOf(outcomes)),
      );
    }
    last = sent;
  }
  const known = [...observations].filter((at) => at < last.length);
  return {
    original: ends.map((end, turn) => ({
      sharedTokens: turn === 0 ? 0 : sumTokens(texts.slice(0, ends[turn - 1])),
      tokens: sumTokens(texts.slice(0, end)),
    })),
    sent: sentTurns,
    turns: Math.max(0, ends.length - 1),
    stableTurns,
    clears,
    observationTokens: {
      before: known.reduce((sum, at) => sum + tokensOf(texts[at] ?? ''), 0),
      after: known.reduce((sum, at) => sum + tokensOf(last[at] ?? ''), 0),
    },
    retention,
    outcomes,
  };
}

const untouched: BlockOutcome = { text: null, steps: [], omissions: [] };

function compressAll(
  { blocks }: Transcript,
  end: number,
  settings: CompressionSettings | null,
  clearedBefore: number,
): BlockOutcome[] {
  const heads = blocks.slice(0, end);
  if (settings === null) return heads.map(() => untouched);
  const compressor = new ConversationCompressor(settings);
  return heads.map((block, at) => compressor.add(at < clearedBefore ? { ...block, old: true } : block));
}

function followed(sent: readonly string[]): string[] {
  return sent.map((text, at) => resolveReferences(sent.slice(0, at), text));
}

function omittedOf(outcomes: readonly BlockOutcome[]): string[] {
  return outcomes.flatMap(({ omissions }) => omissions.map(({ original }) => original));
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function sumTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensOf(text) + messageTokens, 0);
}

function addRetention(sum: Retention, more: Retention): void {
  sum.values += more.values;
  sum.inContext += more.inContext;
  sum.recoverable += more.recoverable;
}
