import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('no request fails and no stream is cut while one process of each kind restarts behind a load balancer', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 1,
    which: 'one of each',
    requestsPerSecond: 30,
    openStreams: 40,
    chunksPerStream: 8,
    chunkEveryMs: 500,
  });
}, 600_000);
