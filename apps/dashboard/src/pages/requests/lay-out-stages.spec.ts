import { layOutStages } from './lay-out-stages.ts';

const timings = { total: 900, first_byte: 400, overhead: 20, auth: 2, plan: 12, upstream: 350 };

it('stages follow each other from the arrival of the request to its end', () => {
  const stages = layOutStages(timings);
  expect(stages.map(({ name, startMs, endMs }) => [name, startMs, endMs])).toEqual([
    ['auth', 0, 2],
    ['prepare', 2, 8],
    ['plan', 8, 20],
    ['upstream', 20, 370],
    ['first_byte', 370, 400],
    ['stream', 400, 900],
  ]);
});

it('stages that did not run are omitted', () => {
  const refused = { total: 1, first_byte: null, overhead: null, auth: 0.5, plan: null, upstream: null };
  expect(layOutStages(refused).map(({ name }) => name)).toEqual(['auth']);
});

it('no stage ends before it starts or after the request, even with inconsistent clocks', () => {
  const odd = { total: 10, first_byte: 5, overhead: 8, auth: 9, plan: 100, upstream: 50 };
  for (const { startMs, endMs } of layOutStages(odd)) {
    expect(startMs).toBeGreaterThanOrEqual(0);
    expect(endMs).toBeGreaterThanOrEqual(startMs);
    expect(endMs).toBeLessThanOrEqual(10);
  }
});
