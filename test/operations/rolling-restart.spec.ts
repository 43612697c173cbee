import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('every process is restarted behind a balancer, and no request fails and no stream is cut', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 1,
    requestsPerSecond: 30,
    openStreams: 40,
    chunksPerStream: 8,
    chunkEveryMs: 500,
  });
}, 300_000);
