import { expectRollingRestartUnnoticed } from './rolling-restart.scenario.ts';

it('every process is restarted ten times at 200 requests a second and 200 open streams: none fails, none is cut', async () => {
  await expectRollingRestartUnnoticed({
    rounds: 10,
    which: 'every',
    requestsPerSecond: 200,
    openStreams: 200,
    chunksPerStream: 10,
    chunkEveryMs: 1_000,
  });
});
