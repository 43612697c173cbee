import {
  cached,
  lossless,
  markerOf,
  open,
  plan,
  recoverable,
  result,
  send,
  signal,
  upper,
  type Sending,
} from './context-planner.fixture.ts';

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
