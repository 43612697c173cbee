// `npm run bench:streams` measures the delay that the gateway adds to a stream.
// The benchmark also measures the delay of a direct connection to the provider, for comparison.
// The benchmark also measures memory use with many slow streams, and with one stalled reader.
// All measurements happen in one run on one Linux machine.
import { startStack } from '@gateway/testing';
import { prepareAccount } from '../gateway/bench-account.ts';
import { startBareProxy } from '../gateway/servers.ts';
import { measureCrowd } from './measure-crowd.ts';
import { measureDelays } from './measure-delay.ts';
import { measureStall } from './measure-stall.ts';
import { startStreamingProvider } from './provider-process.ts';
import { reportStreams } from './report.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 8);
const crowdStreams = Number(process.env['BENCH_STREAMS'] ?? 1_000);
const model = 'gpt-4o-mini';

const provider = await startStreamingProvider();
const bare = await startBareProxy(provider.url);
const stack = await startStack({
  env: { '*': { LOG_LEVEL: 'info' }, 'edge-gateway': { EGRESS_ALLOW: '127.0.0.0/8' } },
});
try {
  const edgePid = stack.service('edge-gateway').pid;
  if (edgePid === null) throw new Error('The edge does not run.');
  const direct = { url: provider.url, apiKey: 'sk-bench-provider-key', model };
  const ours = {
    url: stack.baseUrl,
    apiKey: await prepareAccount(stack, provider.url),
    model: `openai/${model}`,
  };
  const delays = await measureDelays({ direct, bare: { ...direct, url: bare.url }, ours }, rounds);
  const stall = await measureStall(ours, provider, edgePid);
  const crowd = await measureCrowd(ours, crowdStreams, provider, edgePid);
  reportStreams({ delays, stall, crowd });
} finally {
  await stack.stop();
  for (const server of [provider, bare]) server.stop();
}
