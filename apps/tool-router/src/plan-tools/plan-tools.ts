import type { PlannedConversation, PlanToolsReply, PlanToolsRequest } from '@gateway/contracts';
import { earlierCharactersMin, hashTurns } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';
import type { LoopShare } from '@gateway/messaging';
import { encodersOf, shortListMax } from '../ranking/ranker.port.ts';
import type { EncoderChoice, RankOptions, RankQuestion, ToolRanker } from '../ranking/ranker.port.ts';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import { choosePlan, decidedSession } from './choose-plan.ts';
import { MemoizedTurns } from './turn-signals.ts';
import type { RankedTurn } from './grow-set.ts';
import type { RecallPriors } from '../policy/recall-prior.ts';
import type { RoutingPolicies } from '../policy/routing-policies.port.ts';
import { growingTurnsMax } from './tool-set.ts';
import type { ToolLists } from '../tool-index/tool-memory.ts';

/** A stored list of user turns. */
interface StoredTurns {
  readonly turns: string[];
  /** The most recent list that adds one turn to this list. Each step of an agent loop repeats the newest turn. */
  next?: { readonly turn: string; readonly key: string };
}

/**
 * Stores the user turns of each conversation under the account and the hash from `hashTurns`. Later requests
 * of a conversation can omit the stored turns. Each stored conversation belongs to one account, so a hash
 * gives no access to another account's conversation.
 */
export class TurnMemory {
  readonly #stored: LRUCache<string, StoredTurns>;

  /**
   * @param charactersMax maximum total size of all stored turns. The least recently used conversations are
   * evicted first.
   */
  constructor(charactersMax: number) {
    this.#stored = new LRUCache({
      maxSize: charactersMax,
      sizeCalculation: ({ turns }) => turns.reduce((sum, turn) => sum + turn.length + 32, 128),
    });
  }

  /**
   * All user turns for a request, oldest first. Undefined if the request refers to turns that are not stored
   * in this process.
   */
  resolve({ accountId, userTurns, earlierTurns }: PlanToolsRequest): string[] | undefined {
    if (earlierTurns === undefined) {
      // Each agent loop step repeats the newest turn, and each new turn refers to the turns before it.
      // The turns are therefore stored both with and without the newest turn.
      this.#keep(accountId, userTurns.slice(0, -1));
      this.#keep(accountId, userTurns);
      return userTurns;
    }
    const earlier = this.#stored.get(`${accountId}:${earlierTurns}`);
    return earlier && this.#continue(accountId, earlier, userTurns);
  }

  #continue(accountId: string, earlier: StoredTurns, newest: string[]): string[] {
    const [turn = ''] = newest;
    const repeated =
      earlier.next !== undefined && newest.length === 1 && earlier.next.turn === turn
        ? this.#stored.get(earlier.next.key)
        : undefined;
    if (repeated !== undefined) return repeated.turns;
    const turns = [...earlier.turns, ...newest];
    const key = this.#keep(accountId, turns);
    if (key !== undefined && newest.length === 1) earlier.next = { turn, key };
    return turns;
  }

  /** Stores the turns unless they are short. Returns the key under which turns are stored. */
  #keep(accountId: string, turns: string[]): string | undefined {
    const characters = turns.reduce((sum, turn) => sum + turn.length, 0);
    if (characters < earlierCharactersMin) return undefined;
    const key = `${accountId}:${hashTurns(turns)}`;
    this.#stored.set(key, { turns });
    return key;
  }
}

/** Maximum total size of stored turns, in characters. Each stored character takes up to two bytes of memory. */
const turnCharactersMax = 32 * 1024 * 1024;

interface ToolPlannerOptions {
  readonly lists: ToolLists;
  readonly ranker: ToolRanker;
  /**
   * Chooses the encoders for a conversation that starts with the tool list. By default, conversations use the
   * first encoder.
   */
  readonly chooseEncoders?: (index: KeywordIndex) => Promise<EncoderChoice>;
  readonly priors: RecallPriors;
  readonly policies: RoutingPolicies;
  readonly share: LoopShare;
  /**
   * Identifies this router instance. A reply that reports unknown tools contains the instance id, so that the
   * edge sends the missing definitions to this instance.
   */
  readonly instanceId: string;
}

/**
 * The fields of a request that determine the ranking for its newest turn. The type `PlanToolsRequest`
 * documents each field.
 */
interface NewestTurn {
  readonly userTurns: readonly string[];
  readonly calledTools: readonly string[];
  readonly recentResults: readonly string[];
}

/**
 * The ranking query for the newest turn of a request, including the state of the agent loop. The trace of the
 * request shows the resulting ranking. For the choice of the tool set, each turn is ranked without the state
 * of the agent loop. Returns undefined if the request has no user turns.
 */
export function newestQuestion({
  userTurns,
  calledTools,
  recentResults,
}: NewestTurn): RankQuestion | undefined {
  if (userTurns.length === 0) return undefined;
  return { turns: userTurns, at: userTurns.length - 1, calledTools, recentResults };
}

/**
 * Maximum number of tools for a plan that takes at most a few milliseconds.
 */
const quickListMax = 512;

/** Decides which tools in a request are forwarded. */
export class ToolPlanner {
  readonly #options: ToolPlannerOptions;
  readonly #facts = new MemoizedTurns();
  readonly #turns = new TurnMemory(turnCharactersMax);

  constructor(options: ToolPlannerOptions) {
    this.#options = options;
  }

  /**
   * Plans a request. Requests with long tool lists are planned one at a time for each account.
   * @throws GatewayError `invalid_field` if the hash of the list does not match its tools.
   * @throws GatewayError `rate_limit_exceeded` or `service_unavailable` if too many requests with long tool
   * lists wait
   */
  plan(request: PlanToolsRequest): Promise<PlanToolsReply> {
    const { lists, share } = this.#options;
    const { accountId, listHash, toolHashes } = request;
    share.note(accountId);
    const tools = toolHashes?.length ?? lists.sizeOf(listHash);
    if (tools <= quickListMax) return this.#plan(request);
    return share.admit(accountId, () => this.#plan(request));
  }

  async #plan(request: PlanToolsRequest): Promise<PlanToolsReply> {
    const { lists, priors, policies, instanceId, share } = this.#options;
    const { accountId } = request;
    const userTurns = this.#turns.resolve(request);
    const found = await share.run(accountId, lists.find(request.listHash, request.toolHashes));
    if (found.status === 'unknown') return { status: 'unknown', missing: found.missing, instanceId };
    if (userTurns === undefined) return { status: 'unknown', missing: [], instanceId };
    const { index } = found;
    const session = decidedSession(request);
    const options = await this.#rankOptions(accountId, index, session);
    const newest = newestQuestion({ ...request, userTurns });
    const remembered = Math.min(session?.turns ?? 0, userTurns.length);
    // A shadow conversation is planned for several values of K (number of ranked tools), which requires all turns of the conversation.
    const from = session?.isShadow === true ? 0 : remembered;
    const [turns, newestRanking, measured] = await Promise.all([
      this.#rankTurns(index, userTurns, from, options),
      newest && this.#options.ranker.rank(index, newest, options),
      session === undefined ? policies.find(accountId, null) : this.#pinned(accountId, session.policyVersion),
    ]);
    const mentioned = new Set(userTurns.flatMap((turn) => this.#facts.findMentions(index, turn)));
    const plan = choosePlan({
      request: { ...request, userTurns },
      index,
      turns,
      rememberedTurns: remembered - from,
      newest: newestRanking,
      mentioned,
      priors,
      measured,
    });
    return share.run(accountId, plan);
  }

  /** A conversation keeps its ranking method and its encoders, so that the rankings of all its turns are comparable. */
  async #rankOptions(
    accountId: string,
    index: KeywordIndex,
    session: PlannedConversation | undefined,
  ): Promise<RankOptions> {
    const { chooseEncoders } = this.#options;
    if (session !== undefined)
      return { accountId, method: session.lane, encoders: encodersOf(session.policyVersion) };
    if (chooseEncoders === undefined || index.names.length <= shortListMax) return { accountId };
    return { accountId, encoders: await chooseEncoders(index) };
  }

  #rankTurns(
    index: KeywordIndex,
    userTurns: readonly string[],
    from: number,
    options: RankOptions,
  ): Promise<RankedTurn[]> {
    const growing = [...userTurns.keys()].slice(from, growingTurnsMax);
    return Promise.all(
      growing.map(async (at) => {
        const turn = userTurns[at] ?? '';
        const ranking = await this.#options.ranker.rank(index, { turns: userTurns, at }, options);
        const mentioned = this.#facts.findMentions(index, turn);
        return { ranking, mentioned, carriesOn: this.#facts.carriesOn(turn) };
      }),
    );
  }

  /**
   * The account's routing policy from the start of the conversation. The third part of `policyVersion`, if present,
   * is the version of this policy.
   */
  #pinned(accountId: string, policyVersion: string): ReturnType<RoutingPolicies['find']> {
    const version = policyVersion.split('/')[2];
    return version === undefined ? null : this.#options.policies.find(accountId, version);
  }
}
