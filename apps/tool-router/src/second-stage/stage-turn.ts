import type { EncoderText } from '../inference/inference-protocol.ts';
import { splitTokens } from '../tool-index/tokens.ts';
import {
  contextTurnsMax,
  makeTurnQuery,
  standaloneWords,
  type TurnQuery,
} from '../tool-index/keyword-scores.ts';

const turnCharactersMax = 8_000;
const wordsMax = 256;
/** Tasks of one turn that are looked at by themselves. */
const segmentsMax = 6;
const segmentWordsMin = 2;
/** Ends of sentences, lines, and the joints at which a request for several things is put together. */
const jointPattern =
  /[.!?;:]+(?=\s|$)|\n+|,?\s+(?:and then|and also|and|then|also|after that|additionally|furthermore|moreover|plus)\s+/giu;

/** A turn as the second stage sees it. */
export interface StageTurn {
  /** Its words and, as far as it leans on them, those of the turns before: what the keyword path looks for. */
  readonly query: TurnQuery;
  /** The turn's own words, in order, repeats included. */
  readonly words: readonly string[];
  /** The words of each task that the turn sets; one element, all its words, when it does not fall into several. */
  readonly segments: readonly (readonly string[])[];
  /** Whether the turn is being worked on: calls have been made for it, and their results are the last that was said. */
  readonly isLoop: boolean;
  /** Names of the tools that the transcript calls. */
  readonly calledTools: ReadonlySet<string>;
  /** How far the turn leans on those before it: 1 for a few words, less for a long one, 0 for the first turn. */
  readonly contextWeight: number;
  /** What an encoder must make vectors of: the turn; the turn with its context (the same object when it has none); then each segment, when there are several. */
  readonly texts: readonly EncoderText[];
}

/** What the transcript holds beside the user's turns; left out where it is to play no part. */
export interface LoopState {
  readonly calledTools?: readonly string[];
  readonly recentResults?: readonly string[];
}

/** Reads turn `at` of the user's turns; later ones play no part. */
export function readStageTurn(turns: readonly string[], at: number, loop: LoopState = {}): StageTurn {
  const text = (turns[at] ?? '').slice(0, turnCharactersMax);
  const words = splitTokens(text, wordsMax);
  const cut = cutSegments(text);
  const segments = cut.length > 1 ? cut : [];
  const earlier = turns
    .slice(Math.max(0, at - contextTurnsMax), at)
    .map((turn) => turn.slice(0, turnCharactersMax));
  const own: EncoderText = [{ field: 'query', text }];
  return {
    query: makeTurnQuery(turns, at),
    words,
    segments: segments.length === 0 ? [words] : segments.map((segment) => segment.words),
    isLoop: (loop.recentResults?.length ?? 0) > 0,
    calledTools: new Set(loop.calledTools),
    contextWeight: earlier.length === 0 ? 0 : Math.min(1, standaloneWords / Math.max(1, words.length)),
    texts: [
      own,
      earlier.length === 0
        ? own
        : [...own, ...earlier.toReversed().map((turn) => ({ field: 'context' as const, text: turn }))],
      ...segments.map((segment): EncoderText => [{ field: 'query', text: segment.text }]),
    ],
  };
}

interface Segment {
  readonly text: string;
  readonly words: readonly string[];
}

/** Pieces with too few words are joined to the one before. */
function cutSegments(text: string): Segment[] {
  const pieces: string[] = [];
  for (const piece of text.split(jointPattern)) {
    const words = splitTokens(piece, wordsMax);
    if (words.length === 0) continue;
    if (words.length < segmentWordsMin && pieces.length > 0) pieces.push(`${pieces.pop() ?? ''} ${piece}`);
    else pieces.push(piece);
  }
  const kept =
    pieces.length <= segmentsMax
      ? pieces
      : [...pieces.slice(0, segmentsMax - 1), pieces.slice(segmentsMax - 1).join(' ')];
  return kept.map((piece) => ({ text: piece, words: splitTokens(piece, wordsMax) }));
}
