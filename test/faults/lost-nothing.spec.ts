import { expectNothingLost } from './lost-nothing.scenario.ts';

it('600 requests are each logged and charged exactly once while edge, worker, Redis and Postgres are killed 5 times', async () => {
  await expectNothingLost({ seed: 7, requests: 600, kills: 5, settledWithinMs: 60_000 });
}, 240_000);
