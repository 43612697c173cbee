import { runAtOnce, type Pieces } from '@gateway/messaging';
import { orderByScore } from '../tool-index/keyword-scores.ts';
import { scoreByKeyword } from '../tool-index/keyword-scores.ts';
import { measureAffinity, measureCoverage, measureNames, measureNearness } from './name-match.ts';
import {
  featureNames,
  secondFeatureNames,
  type FeatureName,
  type SecondFeatureName,
} from './feature-names.ts';
import { dot, layOut, maxOf, rankGains, shareOfTop, standardize } from './score-math.ts';
import { scoreSoftly } from './soft-match.ts';
import type { StageList } from './stage-list.ts';
import type { StageTurn } from './stage-turn.ts';
import type { Synonyms } from './soft-match.ts';

/** One encoder's vectors for a tool list and a turn. */
export interface EncoderVectors {
  readonly dimensions: number;
  /** Unit-length vectors for the tools in the list, one row per tool. */
  readonly tools: Float32Array;
  /** One vector for each of the turn's `texts`, in the order of the texts. */
  readonly texts: readonly Float32Array[];
}

/** The first encoder's vectors, and the second encoder's vectors if both encoders rank the list. */
export interface StageVectors extends EncoderVectors {
  readonly second?: EncoderVectors | undefined;
}

/**
 * Computes the features of each tool for a turn as a tools × features matrix, one row per tool. A different
 * order of the tools changes only the order of the rows. The columns are `featureNames`, or `allFeatureNames`
 * if both encoders supply vectors.
 * @param keyword the turn's keyword scores, if they were already computed.
 */
export function computeFeatures(
  list: StageList,
  turn: StageTurn,
  vectors: StageVectors,
  synonyms: Synonyms,
  keyword?: Float64Array,
): Float32Array {
  return runAtOnce(computeInPieces(list, turn, vectors, synonyms, keyword));
}

/** Like `computeFeatures`, but with pauses between the steps. */
export function* computeInPieces(
  list: StageList,
  turn: StageTurn,
  vectors: StageVectors,
  synonyms: Synonyms,
  keyword?: Float64Array,
): Pieces<Float32Array> {
  const scored = keyword ?? (yield* scoreByKeyword(list.index, turn.query));
  const words = yield* measureWords(list, turn, synonyms, scored);
  const columns = { ...words, ...(yield* measureCosines(list, turn, vectors)) };
  yield;
  const fused = fuse(columns);
  const order = orderByScore(list.index, fused);
  yield;
  const affinity = yield* measureAffinity(list, order, vectors);
  yield;
  const all: Readonly<Record<FeatureName, Float64Array>> = {
    ...columns,
    ...affinity,
    fused_rank: rankGains(fused),
    centrality: centralityOf(list, vectors),
    asks_user: list.asking,
  };
  yield;
  const ofFirst = featureNames.map((name) => all[name]);
  if (vectors.second === undefined) return layOut(ofFirst, list.index.names.length);
  const second = yield* measureSecond(list, turn, words, vectors.second);
  return layOut([...ofFirst, ...secondFeatureNames.map((name) => second[name])], list.index.names.length);
}

/**
 * The features that need the second encoder's vectors. Tools are compared with the top tools of a ranking that
 * combines word scores with the second encoder's cosines.
 */
function* measureSecond(
  list: StageList,
  turn: StageTurn,
  words: Readonly<Record<'keyword_share' | 'soft_segment_share', Float64Array>>,
  vectors: EncoderVectors,
): Pieces<Readonly<Record<SecondFeatureName, Float64Array>>> {
  const cosines = yield* measureCosines(list, turn, vectors);
  yield;
  const order = orderByScore(list.index, fuse({ ...words, ...cosines }));
  yield;
  return {
    second_deviation: cosines.cosine_deviation,
    second_rank: cosines.cosine_rank,
    second_context: cosines.cosine_context,
    second_segment: cosines.cosine_segment,
    second_segment_rank: cosines.cosine_segment_rank,
    second_absolute: cosines.cosine_absolute,
    second_affinity: yield* measureNearness(order, vectors),
    second_centrality: centralityOf(list, vectors),
  };
}

function* measureWords(list: StageList, turn: StageTurn, synonyms: Synonyms, keyword: Float64Array) {
  const segments = turn.segments.map((words) => new Map(words.map((word) => [word, 1])));
  const byKeyword = yield* measureKeywords(list, turn, segments, keyword);
  const softly = yield* measureSoftly(list, turn, segments, synonyms);
  yield;
  return {
    ...byKeyword,
    ...softly,
    turn_covered: measureCoverage(list, turn.query),
    ...measureNames(list, turn),
  };
}

type Words = ReadonlyMap<string, number>;

function* measureKeywords(
  { index }: StageList,
  turn: StageTurn,
  segments: readonly Words[],
  keyword: Float64Array,
) {
  const count = index.names.length;
  const own = new Map([...turn.query].filter(([, weight]) => weight === 1));
  const lastTurn = own.size === turn.query.size ? keyword : yield* scoreByKeyword(index, own);
  const shares: Float64Array[] = [];
  const ranks: Float64Array[] = [];
  for (const words of segments) {
    const share = shareOfTop(yield* scoreByKeyword(index, words));
    yield;
    shares.push(share);
    ranks.push(rankGains(share));
    yield;
  }
  return {
    keyword_share: shareOfTop(keyword),
    keyword_rank: rankGains(keyword),
    keyword_deviation: standardize(keyword),
    last_turn_share: shareOfTop(lastTurn),
    segment_share: maxOf(shares, count),
    segment_rank: maxOf(ranks, count),
  };
}

function* measureSoftly(list: StageList, turn: StageTurn, segments: readonly Words[], synonyms: Synonyms) {
  const soft = yield* scoreSoftly(list, turn.query, synonyms);
  const shares = segments.length < 2 ? [shareOfTop(soft.text)] : [];
  if (segments.length >= 2)
    for (const words of segments) shares.push(shareOfTop((yield* scoreSoftly(list, words, synonyms)).text));
  yield;
  return {
    soft_share: shareOfTop(soft.text),
    soft_rank: rankGains(soft.text),
    soft_segment_share: maxOf(shares, list.index.names.length),
    soft_name_share: shareOfTop(soft.name),
    soft_name_covered: soft.nameCovered,
  };
}

function* measureCosines(list: StageList, turn: StageTurn, { tools, texts, dimensions }: EncoderVectors) {
  const count = list.index.names.length;
  const products: Float64Array[] = [];
  for (const vector of texts) {
    products.push(multiply(tools, vector, count, dimensions));
    yield;
  }
  const [own = new Float64Array(count), inContext = own, ...bySegment] = products;
  const segments = bySegment.length === 0 ? [own] : bySegment;
  const deviations: Float64Array[] = [];
  const ranks: Float64Array[] = [];
  for (const cosines of segments) {
    deviations.push(standardize(cosines));
    ranks.push(rankGains(cosines));
    yield;
  }
  return {
    cosine_deviation: standardize(own),
    cosine_rank: rankGains(own),
    cosine_context: standardize(inContext).map((value) => value * turn.contextWeight),
    cosine_segment: maxOf(deviations, count),
    cosine_segment_rank: maxOf(ranks, count),
    cosine_absolute: own,
  };
}

/** The cache key is the vector matrix, because the mean cosines depend only on the tool list. */
const centralities = new WeakMap<Float32Array, Float64Array>();

function centralityOf(list: StageList, vectors: EncoderVectors): Float64Array {
  const kept = centralities.get(vectors.tools);
  if (kept !== undefined) return kept;
  const made = measureCentrality(list, vectors);
  centralities.set(vectors.tools, made);
  return made;
}

/**
 * Cosine between each tool and the list's mean vector. A tool that is similar to all other tools is needed
 * less often than its cosine with the turn suggests.
 */
function measureCentrality({ index }: StageList, { tools, dimensions }: EncoderVectors): Float64Array {
  const count = index.names.length;
  const positions = new Uint32Array(count);
  index.tieRanks.forEach((rank, position) => (positions[rank] = position));
  // The vectors are added in name order, so that the order of the tools cannot change the mean vector.
  const mean = new Float32Array(dimensions);
  for (const position of positions) {
    const from = position * dimensions;
    for (let at = 0; at < dimensions; at += 1) mean[at] = (mean[at] ?? 0) + (tools[from + at] ?? 0);
  }
  const length = Math.max(1e-6, Math.sqrt(dot(mean, 0, mean, 0, dimensions)));
  return multiply(tools, mean, count, dimensions).map((product) => product / length);
}

/**
 * A preliminary order of the tools, based on fixed feature weights. The preliminary order selects the leading
 * tools, to which other tools are compared.
 */
function fuse(
  columns: Readonly<Record<'keyword_share' | 'soft_segment_share' | 'cosine_segment', Float64Array>>,
) {
  return columns.keyword_share.map(
    (share, at) =>
      share + (columns.soft_segment_share[at] ?? 0) + 0.25 * Math.max(0, columns.cosine_segment[at] ?? 0),
  );
}

function multiply(
  matrix: Float32Array,
  vector: Float32Array,
  rows: number,
  dimensions: number,
): Float64Array {
  const products = new Float64Array(rows);
  for (let row = 0; row < rows; row += 1) {
    products[row] = dot(matrix, row * dimensions, vector, 0, dimensions);
  }
  return products;
}
