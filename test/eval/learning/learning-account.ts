import type { AccountHead, RoutingPolicy } from '@gateway/contracts';
import type { LearnedConversation } from '../../../apps/worker/src/jobs/calibrate/learn/head-counts.ts';
import type { EvalRequest } from '../sessions/eval-session.ts';
import type { ReplaySettings, ReplaySubject } from '../sessions/replay.ts';
import { replaySession } from '../sessions/replay-session.ts';

const accountId = '019a9f5e-0000-7000-8000-000000000001';

/** The K values that would have forwarded each needed tool of a conversation, in descending order. */
export interface Labels {
  readonly bucket: string;
  readonly neededKs: readonly number[];
  /** `neededKs` with the account head. Null without an account head. */
  readonly learnedKs: readonly number[] | null;
  readonly missed: number;
  readonly isArmed: boolean;
}

/** A conversation of an account with a fixed tool list. */
export class LearningConversation {
  readonly #subject: ReplaySubject;
  readonly #settings: Omit<ReplaySettings, 'policy'>;

  constructor(subject: ReplaySubject, settings: Omit<ReplaySettings, 'policy'>) {
    const { session } = subject;
    this.#subject = { ...subject, session: { ...session, requests: keepFirstNeeds(session.requests) } };
    this.#settings = { ...settings, isShadow: true };
  }

  get tools(): number {
    return this.#subject.list.tools.length;
  }

  get list(): string {
    return this.#subject.index.listHash.slice(0, 16);
  }

  /** Replays the conversation as a shadow conversation, like the tool router does. */
  async label(head: AccountHead | null): Promise<Labels> {
    const policy = head === null ? null : policyWith(head);
    const outcome = await replaySession(this.#subject, { ...this.#settings, policy });
    const { bucket, heldFromK, learnedFromK, missed, isArmed } = outcome;
    return {
      bucket,
      neededKs: descending(heldFromK.values()),
      learnedKs: head === null ? null : descending(learnedFromK.values()),
      missed: missed.length,
      isArmed,
    };
  }

  /** Returns the conversation as the worker reads it from the request log. */
  async read(at: string): Promise<LearnedConversation> {
    const { session, index, ranker } = this.#subject;
    const calls = session.requests.flatMap(({ userTurns, needed }) =>
      needed === undefined || !index.positionsByName.has(needed)
        ? []
        : [{ turn: userTurns.length - 1, needed }],
    );
    const userTurns = session.requests.at(-1)?.userTurns ?? [];
    const turns = await Promise.all(
      userTurns.map(async (_, turn) => {
        const { order, scores } = await ranker.rank(index, { turns: userTurns, at: turn });
        return {
          names: Array.from(order, (position) => index.names[position] ?? ''),
          scores: Array.from(order, (position) => Math.round((scores[position] ?? 0) * 1000) / 1000),
          called: calls.filter((call) => call.turn < turn).map(({ needed }) => needed),
          needed: new Set(calls.filter((call) => call.turn >= turn).map(({ needed }) => needed)),
        };
      }),
    );
    return {
      ...{ at, list: this.list, offered: turns[0]?.names ?? [], weight: 1 },
      turns: turns.filter(({ needed }) => needed.size > 0),
      needed: calls.map(({ needed }) => needed),
    };
  }
}

/** Keeps the first request and the requests that need a tool for the first time. The labels depend only on these. */
function keepFirstNeeds(requests: readonly EvalRequest[]): EvalRequest[] {
  const seen = new Set<string>();
  return requests.filter(({ needed }, at) => {
    const isNew = needed !== undefined && !seen.has(needed);
    if (needed !== undefined) seen.add(needed);
    return at === 0 || isNew;
  });
}

function policyWith(head: AccountHead): RoutingPolicy {
  return { accountId, version: 'c1', madeAt: head.madeAt, buckets: [], heads: [head] };
}

function descending(values: Iterable<number>): number[] {
  return [...values].sort((one, other) => other - one);
}
