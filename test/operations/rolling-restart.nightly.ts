import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('ten times over, at 200 requests a second and 200 open streams', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 10,
    requestsPerSecond: 200,
    openStreams: 200,
    chunksPerStream: 10,
    chunkEveryMs: 1_000,
  });
});
