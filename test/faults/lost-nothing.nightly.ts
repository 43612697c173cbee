import { expectNothingLost } from './lost-nothing.scenario.ts';

it('20,000 requests are each logged and charged exactly once while edge, worker, Redis and Postgres are killed 50 times', async () => {
  await expectNothingLost({ seed: 20_261_120, requests: 20_000, kills: 50, settledWithinMs: 180_000 });
}, 3_600_000);
