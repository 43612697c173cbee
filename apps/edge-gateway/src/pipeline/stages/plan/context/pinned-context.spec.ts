import { away, lossless, open, signal, subjectOf, upper, type Sending } from './context-planner.fixture.ts';
import type { ContextPlanner } from './context-planner.ts';
import { Patience, type UnchangedTurns } from './context-subject.ts';

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
