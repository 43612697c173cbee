import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('one process of each kind restarts behind a balancer: no request fails, and no stream is cut', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 1,
    which: 'one of each',
    requestsPerSecond: 30,
    openStreams: 40,
    chunksPerStream: 8,
    chunkEveryMs: 500,
  });
}, 600_000);
