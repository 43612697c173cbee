import type { DefineToolsRequest, PlanToolsReply, PlanToolsRequest } from '@gateway/contracts';
import {
  assessTools,
  compressSchemas,
  defineTools,
  earlierCharactersMin,
  hashTurns,
  planTools,
  planToolsAt,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { ByteRange } from '@gateway/interchange';
import { cutForMessages, TimeShare, type Messaging, type TimeShareOptions } from '@gateway/messaging';
import { LRUCache } from 'lru-cache';
import type { PlanQuestion, PlanSubject, Planner, SchemaMode } from './planner.port.ts';
import type { PlannedReply, SchemaEdits } from '../../../exchange/tool-plan.ts';

/** Maximum length of a message in bytes. The message bus allows 8 MiB per message, including the framing. */
const definitionsBytesMax = 6 * 1024 * 1024;

/**
 * Limits the new tool definitions that one account may send while other accounts are active. An initial burst is
 * enough to send the longest tool list twice to the router and twice to the compressor. After the burst, the account
 * may send 250 definitions per second. Computing the vector of a definition takes about a millisecond, so each
 * definition counts as one millisecond of processor time.
 */
export const newToolsShare: TimeShareOptions = { contendedShare: 0.25, burstMs: 4 * 4_096 };

/**
 * Calls the tool router and the compressor. Tools and earlier turns are sent to the services as hashes only.
 * The full text is sent only to a router instance that does not have it.
 */
export class NatsPlanner implements Planner {
  readonly #messaging: Messaging;
  readonly #reporter: ToolReporter;
  readonly #deadlineMs: number;
  readonly #newTools: TimeShare;
  /**
   * Tool lists for which a router instance has already made a plan. Later requests with a known tool list omit the
   * hashes of the tools.
   */
  readonly #known = new LRUCache<string, true>({ max: 10_000 });
  /**
   * Cached compression results of tool definitions. A compression result depends only on the mode and the
   * bytes of the definition.
   */
  readonly #schemaEdits = new LRUCache<string, SchemaEdits>({
    maxSize: 64 * 1024 * 1024,
    sizeCalculation: ({ edits }) =>
      200 + edits.reduce((size, edit) => size + 100 + edit.replacement.length, 0),
  });

  /** @param deadlineMs total time limit for all calls of one plan */
  constructor(messaging: Messaging, deadlineMs: number, newTools = new TimeShare(newToolsShare)) {
    this.#messaging = messaging;
    this.#newTools = newTools;
    this.#reporter = new ToolReporter(messaging);
    this.#deadlineMs = deadlineMs;
  }

  async selectTools(
    subject: PlanSubject,
    question: PlanQuestion,
    signal: AbortSignal,
  ): Promise<PlannedReply> {
    const { list } = subject;
    this.#newTools.note(question.accountId);
    const withHashes = { ...question, listHash: list.listHash, toolHashes: [...list.toolHashes] };
    const shortened = withoutEarlierTurns(question);
    const first: PlanToolsRequest = this.#known.has(list.listHash)
      ? { ...shortened, listHash: list.listHash }
      : { ...withHashes, ...shortened };
    const reply = await this.#messaging.call(planTools, first, { signal, deadlineMs: this.#deadlineMs });
    const planned =
      reply.status === 'planned' ? reply : await this.#teach(subject, withHashes, reply, signal);
    this.#known.set(list.listHash, true);
    this.#reporter.report(subject, question.accountId);
    return planned;
  }

  /**
   * Sends missing data to one router instance, and then requests the plan again from this instance. A router
   * instance may first request the tool list, and then the tool definitions.
   */
  async #teach(
    subject: PlanSubject,
    question: PlanToolsRequest & { toolHashes: string[] },
    unknown: Extract<PlanToolsReply, { status: 'unknown' }>,
    signal: AbortSignal,
  ): Promise<PlannedReply> {
    const options = { signal, deadlineMs: this.#deadlineMs, instanceId: unknown.instanceId };
    let { missing } = unknown;
    for (let round = 0; round < 2; round += 1) {
      if (missing.length > 0) {
        const listed = listMissing(subject, question.toolHashes, new Set(missing));
        this.#admitNew(question.accountId, missing.length);
        for (const tools of cutDefinitions(subject, listed))
          await this.#messaging.call(defineTools, { accountId: question.accountId, tools }, options);
      }
      const reply = await this.#messaging.call(planToolsAt, question, options);
      if (reply.status === 'planned') return reply;
      missing = reply.missing;
    }
    throw new GatewayError('service_unavailable', {
      detail: 'the tool router still lacks definitions after two rounds',
    });
  }

  async compressSchemas(
    subject: PlanSubject,
    { accountId }: { readonly accountId: string },
    mode: SchemaMode,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, SchemaEdits>> {
    const { list, tape } = subject;
    this.#newTools.note(accountId);
    const unseen = this.#unseenDefinitions(subject, mode);
    if (unseen.length > 0) this.#admitNew(accountId, unseen.length);
    for (const group of cutForMessages(unseen, ({ range }) => range.end - range.start)) {
      const definitions = group.map(({ hash, range }) => ({
        hash,
        text: tape.bytes.toString('utf8', range.start, range.end),
      }));
      const { results } = await this.#messaging.call(
        compressSchemas,
        { accountId, mode, definitions },
        { signal, deadlineMs: this.#deadlineMs },
      );
      for (const { hash, edits, steps } of results)
        this.#schemaEdits.set(keyOf(mode, hash), { edits, steps });
    }
    const found = new Map<number, SchemaEdits>();
    for (const [position, hash] of list.toolHashes.entries()) {
      const kept = this.#schemaEdits.get(keyOf(mode, hash));
      if (kept && kept.edits.length > 0) found.set(position, kept);
    }
    return found;
  }

  /** @throws GatewayError `rate_limit_exceeded` if the account sends too many unknown definitions */
  #admitNew(accountId: string, definitions: number): void {
    if (!this.#newTools.mayRun(accountId)) {
      throw new GatewayError('rate_limit_exceeded', {
        detail: 'the account sends too many new tool definitions while other accounts are active',
      });
    }
    this.#newTools.use(accountId, definitions);
  }

  /**
   * Returns the definitions that do not have a compression result yet, up to the size of one message. Tool
   * definitions that do not fit into the message are sent with the next plan request.
   */
  #unseenDefinitions({ list, tools }: PlanSubject, mode: SchemaMode): { hash: string; range: ByteRange }[] {
    const unseen = new Map<string, ByteRange>();
    let size = 0;
    for (const [position, hash] of list.toolHashes.entries()) {
      const tool = tools[position];
      if (!tool || tool.builtIn || unseen.has(hash) || this.#schemaEdits.has(keyOf(mode, hash))) continue;
      size += tool.range.end - tool.range.start;
      if (size > definitionsBytesMax) break;
      unseen.set(hash, tool.range);
    }
    return [...unseen].map(([hash, range]) => ({ hash, range }));
  }
}

interface ListedTool {
  readonly tool: PlanSubject['tools'][number];
  readonly hash: string;
  readonly bytes: number;
}

/** @throws GatewayError `service_unavailable` if the missing definitions are too long to be sent */
function listMissing(
  { tools }: PlanSubject,
  hashes: readonly string[],
  missing: ReadonlySet<string>,
): ListedTool[] {
  const listed = tools.flatMap((tool, position) => {
    const hash = hashes[position] ?? '';
    return missing.has(hash) ? [{ tool, hash, bytes: tool.range.end - tool.range.start }] : [];
  });
  if (listed.reduce((sum, { bytes }) => sum + bytes, 0) > definitionsBytesMax) {
    throw new GatewayError('service_unavailable', {
      detail: 'the tool definitions exceed the size limit of planning',
    });
  }
  return listed;
}

/**
 * Splits the missing definitions across several messages. Each message is rendered only when it is sent, so that a
 * long tool list does not block the event loop.
 */
function* cutDefinitions(
  { tape, format }: PlanSubject,
  listed: readonly ListedTool[],
): Generator<DefineToolsRequest['tools']> {
  for (const group of cutForMessages(listed, ({ bytes }) => bytes)) {
    const definitions = format.client.toolDefinitions(
      tape,
      group.map(({ tool }) => tool),
    );
    yield definitions.map((definition, place) => ({
      hash: group[place]?.hash ?? '',
      ...definition,
      examples: [...definition.examples],
    }));
  }
}

function keyOf(mode: SchemaMode, hash: string): string {
  return `${mode}:${hash}`;
}

/**
 * Returns the newest turn in full and a hash of the earlier turns. A router instance that planned the previous
 * turn has the earlier turns in memory.
 */
function withoutEarlierTurns(question: PlanQuestion): PlanQuestion & Pick<PlanToolsRequest, 'earlierTurns'> {
  const earlier = question.userTurns.slice(0, -1);
  const characters = earlier.reduce((sum, turn) => sum + turn.length, 0);
  if (characters < earlierCharactersMin) return question;
  return { ...question, userTurns: question.userTurns.slice(-1), earlierTurns: hashTurns(earlier) };
}

/** Interval after which a tool list is reported again, in case the worker has lost it. */
const againMs = 3_600_000;
/** Minimum time between two reports for one account, even if the account's tool list changes more often. */
const restMs = 5_000;
const reportedToolsMax = 1_000;
const reportedBytesMax = 4 * 1024 * 1024;

/**
 * Reports the tool list of an account to the worker. The worker assesses the descriptions of the tools. The request
 * does not wait for the report. If a report fails, a later request sends the report again.
 */
class ToolReporter {
  readonly #messaging: Messaging;
  readonly #reported = new LRUCache<string, true>({ max: 10_000, ttl: againMs });
  readonly #resting = new LRUCache<string, true>({ max: 10_000, ttl: restMs });

  constructor(messaging: Messaging) {
    this.#messaging = messaging;
  }

  report(subject: PlanSubject, accountId: string): void {
    const key = accountId + subject.list.listHash;
    if (this.#reported.has(key) || this.#resting.has(accountId)) return;
    this.#reported.set(key, true);
    this.#resting.set(accountId, true);
    setImmediate(() => void this.#send(subject, accountId, key));
  }

  async #send({ format, tape, tools }: PlanSubject, accountId: string, key: string): Promise<void> {
    const own = tools.filter(({ builtIn }) => !builtIn).slice(0, reportedToolsMax);
    const bytes = own.reduce((sum, { range }) => sum + range.end - range.start, 0);
    if (own.length === 0 || bytes > reportedBytesMax) return;
    try {
      const definitions = format.client.toolDefinitions(tape, own).flatMap((definition) => {
        const { name, description, parameters, examples } = definition;
        const isNamed = name !== null && name !== '' && name.length <= 256;
        return isNamed ? [{ name, description, parameters, examples: [...examples] }] : [];
      });
      await this.#messaging.call(assessTools, { accountId, tools: definitions });
    } catch {
      this.#reported.delete(key);
    }
  }
}
