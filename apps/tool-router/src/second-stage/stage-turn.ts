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
/** Maximum number of tasks within a turn that are ranked separately. */
const segmentsMax = 6;
const segmentWordsMin = 2;
/**
 * Replaces each run of white space with one character. Later patterns could otherwise take quadratic time on a long
 * run of white space.
 */
const spacePattern = /\s+/g;
/** Matches separators between tasks, which are sentence ends, conjunctions and line breaks. */
const jointPattern =
  /(?<![.!?;:])[.!?;:]+(?=\s|$)|,?\s(?:and then|and also|and|then|also|after that|additionally|furthermore|moreover|plus)\s|\n/giu;

/** A user turn, prepared for the second stage. */
export interface StageTurn {
  /** Weighted words from the turn and its context, as used by keyword ranking. */
  readonly query: TurnQuery;
  /** The turn's own words, in order, with repeats. */
  readonly words: readonly string[];
  /** The words in each task of the turn. For a turn with one task, the only element contains all words. */
  readonly segments: readonly (readonly string[])[];
  /**
   * How much the turn depends on earlier turns, from 0 to 1. The weight is zero for the first turn, 1 for a later
   * turn of a few words, and lower for a longer turn.
   */
  readonly contextWeight: number;
  /**
   * Texts to encode. The texts are the turn and the turn with its context. If the turn has several segments,
   * the texts also include the segments. For a turn without context, the first two texts are the same object.
   */
  readonly texts: readonly EncoderText[];
}

/** Prepares turn `at` for the second stage. Turns after `at` have no influence on the ranking. */
export function readStageTurn(turns: readonly string[], at: number): StageTurn {
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

/** Splits text into tasks. A segment with too few words is merged into the previous segment. */
function cutSegments(text: string): Segment[] {
  const pieces: string[] = [];
  const spaced = text.replace(spacePattern, (run) => (run.includes('\n') ? '\n' : ' '));
  for (const piece of spaced.split(jointPattern)) {
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
