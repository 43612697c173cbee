import { hash } from 'node:crypto';
import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { loadCatalog, type CatalogModel } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { ContextMemo } from './context-memo.ts';
import { ContextPlanner } from './context-planner.ts';
import { listCandidates, Patience, type ContextSettings, type UnchangedTurns } from './context-subject.ts';

const log = { debug: () => undefined, warn: () => undefined } as never;
const away = () => Promise.reject(new Error('away'));
const format = formatNamed('chat-completions');

const markerOf = (text: string): string => hash('sha256', text).slice(0, 12);

/** Replaces the compression steps in tests. Version 1 returns upper case, and version 2 returns lower case. */
const shorten = (text: string, version: number | undefined): string =>
  version === 2 ? text.trim().toLowerCase() : text.trim().toUpperCase();

/** Creates a planner with a compressor that can fail and can support several versions of the compression steps. */
function open(redis: ConstructorParameters<typeof ContextMemo>[0] = { mgetBuffer: away, set: away }) {
  const asked: CompressBlocksRequest[] = [];
  const state = { isUp: true, forgets: false, kept: new Map<string, string>(), versions: [1] };
  const planner = new ContextPlanner(
    {
      compress(request): Promise<CompressBlocksReply> {
        asked.push(request);
        if (!state.isUp) return away();
        if (!state.versions.includes(request.version ?? 0)) return Promise.resolve({ status: 'unsupported' });
        if (state.forgets && request.after !== null) {
          return Promise.resolve({ status: 'unknown', instanceId: 'one' });
        }
        const results = request.blocks.map(({ text, frozen, old }) => ({
          text: frozen ? null : old === true ? 'old' : shorten(text, request.version),
          steps: [],
          markers: frozen ? [] : [markerOf(text)],
        }));
        const original = request.blocks.find(({ text }) => markerOf(text) === request.recall)?.text;
        return Promise.resolve({
          status: 'compressed',
          results,
          ...(original === undefined ? {} : { original }),
        });
      },
      recall: ({ ids }) => Promise.resolve(ids.map((id) => state.kept.get(id) ?? null)),
    },
    new ContextMemo(redis, log),
    log,
  );
  return { planner, asked, state };
}

const result = (at: number): string => `result number ${at} ${'of a tool that says much '.repeat(6)}  `;

interface Sending {
  readonly left?: AbortSignal;
  readonly settings?: ContextSettings;
  readonly accountId?: string;
  readonly opening?: string;
  readonly model?: CatalogModel | undefined;
  readonly resultOf?: (at: number) => string;
  /** Index of the tool result that contains the client's cache marker. */
  readonly marked?: number;
}

/** A conversation with the given number of tool results. */
function subjectOf(turns: number, sending: Sending = {}) {
  const { opening = 'go on', resultOf = result, marked } = sending;
  const contentOf = (at: number) =>
    at === marked
      ? [{ type: 'text', cache_control: { type: 'ephemeral' }, text: resultOf(at) }]
      : resultOf(at);
  const messages = Array.from({ length: turns }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: contentOf(at) },
  ]).flat();
  const body = { model: 'm', messages: [{ role: 'user', content: opening }, ...messages] };
  const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 });
  const outline = format.client.outlineRequest(tape);
  const parts = format.client.listContext(tape, 0);
  const candidates = listCandidates(outline, parts);
  return {
    tape,
    outline,
    parts,
    candidates,
    requestId: 'r',
    left: sending.left ?? new AbortController().signal,
    accountId: sending.accountId ?? 'a',
    settings: sending.settings ?? lossless,
    isRecallable: sending.settings?.recoverable ?? false,
    model: sending.model,
  };
}

const plan = (planner: ContextPlanner, turns: number, sending?: Sending) =>
  planner.plan(subjectOf(turns, sending), signal);

/** Returns the texts that replace the tool results. */
async function send(planner: ContextPlanner, turns: number, sending?: Sending): Promise<string[]> {
  const { edits } = await plan(planner, turns, sending);
  return edits.map(({ replacement }) => JSON.parse(replacement) as string);
}

const lossless: ContextSettings = { mode: 'lossless', recoverable: false, version: 1 };
const recoverable: ContextSettings = { mode: 'balanced', recoverable: true, version: 1 };
const cached = loadCatalog().find('anthropic', 'claude-sonnet-4-5')!;
const signal = new AbortController().signal;

const upper = (at: number): string => result(at).trim().toUpperCase();

describe('ContextPlanner', () => {
  it('compresses only new messages and replays the stored form of all other messages', async () => {
    const { planner, asked } = open();
    await send(planner, 1);
    expect(await send(planner, 2)).toEqual([upper(0), upper(1)]);
    expect(asked.map(({ blocks }) => blocks.filter(({ speaker }) => speaker === 'tool').length)).toEqual([
      1, 1,
    ]);
    expect(asked[1]?.after).toBe(asked[0]?.upTo);
    await send(planner, 2);
    expect(asked).toHaveLength(2);
  });

  it('sends the whole conversation to a compressor that has lost the conversation', async () => {
    const { planner, asked, state } = open();
    await send(planner, 1);
    state.forgets = true;
    expect(await send(planner, 2)).toEqual([upper(0), upper(1)]);
    expect(asked.at(-1)?.after).toBeNull();
    const texts = ['go on', 'a {}', result(0), 'a {}', result(1)];
    expect(asked.at(-1)?.blocks.map(({ text }) => text)).toEqual(texts);
  });

  it('sends messages unchanged in this and all later turns if they were not compressed in time, and marks them as frozen', async () => {
    const { planner, asked, state } = open();
    await send(planner, 1);
    state.isUp = false;
    expect(await send(planner, 2)).toEqual([upper(0)]);
    state.isUp = true;
    state.forgets = true;
    expect(await send(planner, 3)).toEqual([upper(0), upper(2)]);
    const results = asked.at(-1)?.blocks.filter(({ speaker }) => speaker === 'tool');
    expect(results?.map(({ frozen }) => frozen)).toEqual([false, true, false]);
  });

  it('stores nothing for a request whose client disconnected', async () => {
    const { planner, state } = open();
    state.isUp = false;
    await send(planner, 1, { left: AbortSignal.abort() });
    state.isUp = true;
    expect(await send(planner, 1)).toEqual([upper(0)]);
  });

  it('recalls stored original texts, and recreates original texts that are not stored', async () => {
    const { planner, state } = open();
    const { recall } = await plan(planner, 2, { settings: recoverable });
    const id = markerOf(result(1));
    expect(await recall?.(id, signal)).toBe(result(1));
    state.kept.set(id, 'kept');
    expect(await recall?.(id, signal)).toBe('kept');
    expect(await recall?.('0123456789ab', signal)).toBeNull();
    expect(await recall?.('of anything', signal)).toBeNull();
    expect((await plan(planner, 2)).recall).toBeNull();
  });

  it('gives all requests of a conversation the same name, and a different name for another account or another beginning', async () => {
    const { planner } = open();
    const nameOf = async (turns: number, sending: Sending = {}) =>
      (await plan(planner, turns, sending)).session;
    const name = await nameOf(1);
    expect(await nameOf(3)).toBe(name);
    expect(await nameOf(1, { accountId: 'b' })).not.toBe(name);
    expect(await nameOf(1, { opening: 'begin' })).not.toBe(name);
  });

  it('keeps the conversation’s initial compression settings if a change would cost more', async () => {
    const { planner } = open();
    await plan(planner, 2, { settings: lossless, model: cached });
    const kept = await plan(planner, 3, { settings: recoverable, model: cached });
    expect([kept.decision, kept.recall]).toEqual(['kept', null]);
    const uncached = { ...cached, cache: null };
    expect((await plan(planner, 3, { settings: recoverable, model: uncached })).decision).toBe('taken');
    expect((await plan(open().planner, 3, { settings: recoverable, model: cached })).decision).toBe('taken');
  });

  it('replaces old tool results with summaries when summaries save cost, and repeats the same bytes in later requests', async () => {
    const { planner } = open();
    const resultOf = (at: number) => `${result(at)} ${'word '.repeat(1_000)}`;
    const sending = { settings: recoverable, model: { ...cached, cache: null }, resultOf };
    const decisions: string[] = [];
    let before: readonly string[] = [];
    for (let turns = 1; turns <= 24; turns += 1) {
      const planned = await plan(planner, turns, sending);
      decisions.push(planned.decision);
      const texts = planned.edits.map(({ replacement }) => replacement);
      if (planned.decision === 'taken') expect(texts.slice(0, -1)).toEqual(before);
      before = texts;
    }
    const cleared = decisions.flatMap((decision, at) => (decision === 'cleared' ? [at + 1] : []));
    expect(cleared.length).toBeGreaterThan(0);
    expect(cleared.length).toBeLessThan(4);
    expect(before[0]).toBe('"old"');
    expect(before.at(-1)).not.toBe('"old"');
    const again = await plan(open().planner, 24, sending);
    expect(again.edits.map(({ replacement }) => replacement)).toEqual(before);
  });
});

describe('a cache marker', () => {
  it('protects nothing if it is on a new message, and the message keeps its bytes after the marker has moved', async () => {
    const { planner, asked } = open();
    expect(await send(planner, 1, { marked: 0 })).toEqual([upper(0)]);
    expect(await send(planner, 2, { marked: 1 })).toEqual([upper(0), upper(1)]);
    expect(await send(planner, 3)).toEqual([upper(0), upper(1), upper(2)]);
    expect(asked.map(({ after }) => after)).toEqual([null, asked[0]?.upTo, asked[1]?.upTo]);
  });

  it('protects earlier messages if their sent form is unknown', async () => {
    const { planner } = open();
    expect(await send(planner, 3, { marked: 1 })).toEqual([upper(2)]);
    expect(await send(planner, 4, { marked: 3 })).toEqual([upper(2), upper(3)]);
  });
});

describe('a conversation with bound reasoning', () => {
  /** Creates the durable record of unchanged turns, which all replicas share. */
  function openTurns() {
    const kept = new Set<string>();
    const state = { isUp: true };
    const find = (names: readonly string[]) =>
      state.isUp ? Promise.resolve(names.filter((name) => kept.has(name))) : away();
    const keep = (name: string) => (state.isUp ? Promise.resolve(void kept.add(name)) : away());
    return { kept, state, find, keep, patience: new Patience(300) };
  }
  async function sendPinned(
    planner: ContextPlanner,
    { patience, ...turns }: UnchangedTurns & { patience?: Patience },
    count: number,
    sending?: Sending,
  ) {
    const pinned = { ...turns, wait: patience?.start(signal) };
    const subject = { ...subjectOf(count, sending), pinned };
    const { context, isSure } = await planner.planPinned(subject, signal);
    return { texts: context.edits.map(({ replacement }) => JSON.parse(replacement) as string), isSure };
  }

  it('keeps the version of the compression steps with which it began, even on a replica with empty caches', async () => {
    const [{ planner }, turns] = [open(), openTurns()];
    await sendPinned(planner, turns, 2, { marked: 1 });
    const other = open();
    other.state.versions = [1, 2];
    const texts = [upper(0), upper(1), upper(2)];
    expect(await sendPinned(other.planner, turns, 3, { marked: 2 })).toEqual({ texts, isSure: true });
    const newer = { settings: { ...lossless, version: 2 } };
    expect((await sendPinned(other.planner, turns, 3, newer)).texts).not.toEqual(texts);
  });

  it('keeps messages unchanged in all later turns if they were not compressed in time, even on a replica with empty caches', async () => {
    const [{ planner, state }, turns] = [open(), openTurns()];
    await sendPinned(planner, turns, 1);
    state.isUp = false;
    expect(await sendPinned(planner, turns, 2)).toEqual({ texts: [upper(0)], isSure: true });
    expect(turns.kept.size).toBe(1);
    const texts = [upper(0), upper(2)];
    expect(await sendPinned(open().planner, turns, 3)).toEqual({ texts, isSure: true });
  });

  it('waits for an unavailable compressor if messages must be compressed again', async () => {
    const [{ planner, state }, turns] = [open(), openTurns()];
    state.isUp = false;
    const sending = sendPinned(planner, { ...turns, patience: new Patience() }, 2);
    await new Promise((resolve) => setTimeout(resolve, 10));
    state.isUp = true;
    expect(await sending).toEqual({ texts: [upper(0), upper(1)], isSure: true });
    expect(turns.kept.size).toBe(0);
  });

  it('reports that messages cannot be restored while the compressor is unavailable, and restores them later', async () => {
    const [{ planner }, turns] = [open(), openTurns()];
    turns.state.isUp = false;
    expect(await sendPinned(planner, turns, 2)).toEqual({ texts: [upper(1)], isSure: false });
    turns.state.isUp = true;
    expect(await sendPinned(planner, turns, 2)).toEqual({ texts: [upper(0), upper(1)], isSure: true });
  });

  it('restores messages from Redis if Redis did not answer in time at first and the store is unavailable', async () => {
    const values = new Map<string, Buffer>();
    let reads = 0;
    const redis = {
      // Redis does not answer the first read.
      mgetBuffer: (...keys: string[]) =>
        (reads += 1) === 1 ? away() : Promise.resolve(keys.map((key) => values.get(key) ?? null)),
      set: (_: string, key: string, value: Buffer) => Promise.resolve(values.set(key, value)),
    };
    const turns = openTurns();
    await sendPinned(open(redis).planner, turns, 1);
    reads = 0;
    turns.state.isUp = false;
    const restored = await sendPinned(open(redis).planner, turns, 2);
    expect(restored).toEqual({ texts: [upper(0), upper(1)], isSure: true });
  });

  it('gets no stored decision from a token-counting request', async () => {
    const [{ planner, state }, turns] = [open(), openTurns()];
    await sendPinned(planner, turns, 1);
    state.isUp = false;
    expect((await sendPinned(planner, { find: turns.find }, 2)).texts).toEqual([upper(0)]);
    state.isUp = true;
    expect((await sendPinned(planner, turns, 2)).texts).toEqual([upper(0), upper(1)]);
    expect(turns.kept.size).toBe(0);
  });
});
