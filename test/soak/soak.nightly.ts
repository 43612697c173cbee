import { runSoak } from './run-soak.ts';

it('a constant load for 30 minutes leaves memory, descriptors, keys, tables and the spool at a plateau', async () => {
  const { verdicts, leftovers, outcomes, isOk } = await runSoak({ minutes: 30, perSecond: 20 });
  expect(verdicts.filter(({ isPlateau }) => !isPlateau)).toEqual([]);
  expect(leftovers).toEqual([]);
  expect({ isOk, outcomes }).toMatchObject({ isOk: true });
});
