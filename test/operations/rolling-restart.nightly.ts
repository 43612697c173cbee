import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('no request fails and no stream is cut while every process restarts ten times, at 200 requests/s and 200 open streams', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 10,
    which: 'every',
    requestsPerSecond: 200,
    openStreams: 200,
    chunksPerStream: 10,
    chunkEveryMs: 1_000,
  });
});
