import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('every process restarts ten times at 200 requests per second with 200 open streams: no request fails, no stream is cut', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 10,
    which: 'every',
    requestsPerSecond: 200,
    openStreams: 200,
    chunksPerStream: 10,
    chunkEveryMs: 1_000,
  });
});
