import { drawFaults } from './nemesis.ts';
import { shrink } from './shrink.ts';

const items = Array.from({ length: 40 }, (_, at) => at);

it.each([
  ['one item', [17]],
  ['two distant items', [3, 38]],
  ['three items', [0, 19, 20]],
])('shrinks a list of 40 items to %s that cause the failure', async (_, culprits) => {
  let runs = 0;
  const fails = (list: readonly number[]) => {
    runs += 1;
    return Promise.resolve(culprits.every((culprit) => list.includes(culprit)));
  };
  expect(await shrink(items, fails, 1_000)).toEqual(culprits);
  expect(runs).toBeLessThan(150);
});

it('stops at the limit of runs, and returns a list that still fails', async () => {
  let runs = 0;
  const fails = (list: readonly number[]) => {
    runs += 1;
    return Promise.resolve(list.includes(3) && list.includes(38));
  };
  const kept = await shrink(items, fails, 8);
  expect(runs).toBe(8);
  expect(kept).toEqual(expect.arrayContaining([3, 38]));
});

describe('the drawn faults', () => {
  it('equal seeds give equal faults, and different seeds give different faults', () => {
    expect(drawFaults(7, 60)).toEqual(drawFaults(7, 60));
    expect(drawFaults(7, 60)).not.toEqual(drawFaults(8, 60));
  });

  it('all faults end before the calm time at the end of the run', () => {
    for (const { atMs, forMs } of drawFaults(7, 60)) expect(atMs + forMs).toBeLessThanOrEqual(56_000);
  });

  it('twenty seeds of two minutes contain every kind of fault, and overlapping faults', () => {
    const all = Array.from({ length: 20 }, (_, seed) => drawFaults(seed + 1, 120));
    expect(new Set(all.flat().map(({ kind }) => kind)).size).toBe(10);
    for (const faults of all)
      expect(faults.some(({ atMs, forMs }, at) => (faults[at + 1]?.atMs ?? Infinity) < atMs + forMs)).toBe(
        true,
      );
  });
});
