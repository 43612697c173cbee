import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { encodersOf } from './ranker.port.ts';
import type {
  EncoderChoice,
  MethodReason,
  RankOptions,
  RankQuestion,
  ToolRanker,
  TurnRanking,
} from './ranker.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { contextTurnsMax } from '../tool-index/keyword-scores.ts';

/** Maximum total size, in characters, of the turns with cached digests. */
const digestedCharactersMax = 8 * 1024 * 1024;

/**
 * Caches rankings by tool list and relevant turns, because each agent loop step ranks the same turns. A ranking
 * that was dropped from the cache is computed again. The cached rankings do not contain the state of the agent
 * loop, because `LoopRanker` adds this state later.
 */
export class MemoizedRanker implements ToolRanker {
  readonly #ranker: ToolRanker;
  readonly #rankings: LRUCache<string, TurnRanking>;
  readonly #making = new Map<string, Promise<TurnRanking>>();
  readonly #digests = new LRUCache<string, string>({
    maxSize: digestedCharactersMax,
    sizeCalculation: (_, turn) => turn.length + 128,
  });

  constructor(ranker: ToolRanker, bytesMax: number) {
    this.#ranker = ranker;
    this.#rankings = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ scores, order }) => 256 + scores.byteLength + order.byteLength,
    });
  }

  rank(
    index: KeywordIndex,
    question: RankQuestion,
    options: RankOptions = {},
  ): Promise<TurnRanking> | TurnRanking {
    const key = this.#keyOf(index.listHash, question, options);
    const known = this.#rankings.get(key);
    if (known !== undefined) return known;
    const making = this.#making.get(key);
    if (making !== undefined) return making;
    const ranking = this.#ranker.rank(index, question, options);
    const { encoders = 'first' } = options;
    if (ranking instanceof Promise) return this.#await(key, ranking, encoders);
    return this.#keep(key, ranking, encoders);
  }

  /**
   * Concurrent identical ranking queries share one computation. During planning, the newest turn is ranked
   * twice.
   */
  #await(key: string, ranking: Promise<TurnRanking>, encoders: EncoderChoice): Promise<TurnRanking> {
    const made = ranking
      .then((done) => this.#keep(key, done, encoders))
      .finally(() => {
        this.#making.delete(key);
      });
    this.#making.set(key, made);
    return made;
  }

  /** Fallback rankings are not cached, because the model, the vectors or enough time may be available later. */
  #keep(key: string, ranking: TurnRanking, encoders: EncoderChoice): TurnRanking {
    const isFallback =
      ranking.method === 'semantic' && encoders === 'both' && encodersOf(ranking.rankedBy) === 'first';
    if (lastingReasons.has(ranking.methodReason) && !isFallback) this.#rankings.set(key, ranking);
    return ranking;
  }

  /** Joins the digests of the relevant turns. All digests have the same length, so the joined key is unambiguous. */
  #keyOf(
    listHash: string,
    { turns, at }: RankQuestion,
    { method = 'semantic', encoders = 'first' }: RankOptions,
  ): string {
    let key = `${listHash}:${method}:${encoders}`;
    for (let turn = Math.max(0, at - contextTurnsMax); turn <= at; turn += 1)
      key += `:${this.#digestOf(turns[turn] ?? '')}`;
    return key;
  }

  /** SHA-256 of a turn. Most digests are cached, because requests of a conversation share the same stored turns. */
  #digestOf(turn: string): string {
    const known = this.#digests.get(turn);
    if (known !== undefined) return known;
    const digest = hash('sha256', turn, 'base64');
    this.#digests.set(turn, digest);
    return digest;
  }
}

const lastingReasons: ReadonlySet<MethodReason> = new Set(['semantic', 'asked', 'short_list']);
