import { hash } from 'node:crypto';
import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { loadCatalog, type CatalogModel } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { ContextMemo } from './context-memo.ts';
import { ContextPlanner } from './context-planner.ts';
import { listCandidates, type ContextSettings } from './context-subject.ts';

const log = { debug: () => undefined, warn: () => undefined } as never;
const away = () => Promise.reject(new Error('away'));
const format = formatNamed('chat-completions');

const markerOf = (text: string): string => hash('sha256', text).slice(0, 12);

/** A compressor that returns the text in capitals, or fails. */
function open() {
  const asked: CompressBlocksRequest[] = [];
  const state = { isUp: true, forgets: false, kept: new Map<string, string>() };
  const planner = new ContextPlanner(
    {
      compress(request): Promise<CompressBlocksReply> {
        asked.push(request);
        if (!state.isUp) return away();
        if (state.forgets && request.after !== null) {
          return Promise.resolve({ status: 'unknown', instanceId: 'one' });
        }
        const results = request.blocks.map(({ text, frozen, old }) => ({
          text: frozen ? null : old === true ? 'old' : text.trim().toUpperCase(),
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
    new ContextMemo({ mgetBuffer: away, set: away }, log),
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
}

/** Plans a conversation with the given number of tool results. */
async function plan(planner: ContextPlanner, turns: number, sending: Sending = {}) {
  const { opening = 'go on', resultOf = result } = sending;
  const messages = Array.from({ length: turns }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: resultOf(at) },
  ]).flat();
  const body = { model: 'm', messages: [{ role: 'user', content: opening }, ...messages] };
  const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 });
  const outline = format.client.outlineRequest(tape);
  const candidates = listCandidates(outline);
  const subject = {
    format,
    tape,
    outline,
    candidates,
    requestId: 'r',
    left: sending.left ?? new AbortController().signal,
    accountId: sending.accountId ?? 'a',
    settings: sending.settings ?? lossless,
    isRecallable: sending.settings?.recoverable ?? false,
    model: sending.model,
  };
  return planner.plan(subject, new AbortController().signal);
}

/** Returns the replacement texts for the tool results. */
async function send(planner: ContextPlanner, turns: number, sending: Sending = {}): Promise<string[]> {
  const { edits } = await plan(planner, turns, sending);
  return edits.map(({ replacement }) => JSON.parse(replacement) as string);
}

const lossless: ContextSettings = { mode: 'lossless', recoverable: false };
const recoverable: ContextSettings = { mode: 'balanced', recoverable: true };
const cached = loadCatalog().find('anthropic', 'claude-sonnet-4-5')!;
const signal = new AbortController().signal;

const upper = (at: number): string => result(at).trim().toUpperCase();

describe('ContextPlanner', () => {
  it('compresses only new messages and replays the other messages', async () => {
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

  it('sends the whole conversation to a compressor that has lost it', async () => {
    const { planner, asked, state } = open();
    await send(planner, 1);
    state.forgets = true;
    expect(await send(planner, 2)).toEqual([upper(0), upper(1)]);
    expect(asked.at(-1)?.after).toBeNull();
    expect(asked.at(-1)?.blocks.map(({ text }) => text)).toEqual([
      'go on',
      'a {}',
      result(0),
      'a {}',
      result(1),
    ]);
  });

  it('sends late messages unchanged in this and all later turns, and marks them as frozen', async () => {
    const { planner, asked, state } = open();
    await send(planner, 1);
    state.isUp = false;
    expect(await send(planner, 2)).toEqual([upper(0)]);
    state.isUp = true;
    state.forgets = true;
    expect(await send(planner, 3)).toEqual([upper(0), upper(2)]);
    const frozen = asked
      .at(-1)
      ?.blocks.filter(({ speaker }) => speaker === 'tool')
      .map((block) => block.frozen);
    expect(frozen).toEqual([false, true, false]);
  });

  it('stores nothing for a request whose client disconnected', async () => {
    const { planner, state } = open();
    state.isUp = false;
    await send(planner, 1, { left: AbortSignal.abort() });
    state.isUp = true;
    expect(await send(planner, 1)).toEqual([upper(0)]);
  });

  it('recalls stored originals, and recreates originals that are not stored', async () => {
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

  it('gives all requests of a conversation one name, and other accounts or beginnings another name', async () => {
    const { planner } = open();
    const nameOf = async (turns: number, sending: Sending = {}) =>
      (await plan(planner, turns, sending)).session;
    const name = await nameOf(1);
    expect(await nameOf(3)).toBe(name);
    expect(await nameOf(1, { accountId: 'b' })).not.toBe(name);
    expect(await nameOf(1, { opening: 'begin' })).not.toBe(name);
  });

  it('keeps the conversation’s initial settings if a change would cost more', async () => {
    const { planner } = open();
    await plan(planner, 2, { settings: lossless, model: cached });
    const kept = await plan(planner, 3, { settings: recoverable, model: cached });
    expect([kept.decision, kept.recall]).toEqual(['kept', null]);
    const uncached = { ...cached, cache: null };
    expect((await plan(planner, 3, { settings: recoverable, model: uncached })).decision).toBe('taken');
    expect((await plan(open().planner, 3, { settings: recoverable, model: cached })).decision).toBe('taken');
  });

  it('clears old results when this saves cost, and sends the same bytes afterwards', async () => {
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
