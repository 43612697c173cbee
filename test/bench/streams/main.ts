// `npm run bench:streams` measures the delay that the gateway adds to a stream.
// The benchmark also measures the delay of a direct connection to the provider, for comparison.
// The benchmark also measures memory use with many slow streams, and with one stalled reader.
// All measurements take place in a single run on a single Linux machine.
import { startStack } from '@gateway/testing';
import { planResponses, prepareAccount } from '../gateway/bench-account.ts';
import { startBareProxy } from '../gateway/servers.ts';
import { measureCrowd } from './measure-crowd.ts';
import { measureDelays } from './measure-delay.ts';
import { measureStall } from './measure-stall.ts';
import { startStreamingProvider } from './provider-process.ts';
import { reportStreams } from './report.ts';
import type { StreamTarget } from './stream-client.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 8);
const crowdStreams = Number(process.env['BENCH_STREAMS'] ?? 1_000);
const model = 'gpt-4o-mini';
const paths = {
  'chat-completions': '/v1/chat/completions',
  'responses-proxied': '/v1/responses',
  'responses-planned': '/v1/responses',
} as const;
/** The formats to measure, as prefixes of the names in `paths`. By default, the benchmark measures all formats. */
const formats = (process.env['BENCH_FORMATS'] ?? '').split(',');

const provider = await startStreamingProvider();
const bare = await startBareProxy(provider.url);
try {
  for (const [format, path] of Object.entries(paths))
    if (formats.some((name) => format.startsWith(name))) await measureFormat(format, path);
} finally {
  for (const server of [provider, bare]) server.stop();
}

/** Measures each format with new processes, because a process's memory depends on its earlier streams. */
async function measureFormat(format: string, path: StreamTarget['path']): Promise<void> {
  const stack = await startStack({
    env: { '*': { LOG_LEVEL: 'info' }, 'edge-gateway': { EGRESS_ALLOW: '127.0.0.0/8' } },
  });
  try {
    const edgePid = stack.service('edge-gateway').pid;
    if (edgePid === null) throw new Error('The edge is not running.');
    const apiKey = await prepareAccount(stack, provider.url);
    if (format === 'responses-planned') await planResponses(stack, apiKey);
    const direct: StreamTarget = { url: provider.url, path, apiKey: 'sk-bench-provider-key', model };
    const ours: StreamTarget = { url: stack.baseUrl, path, apiKey, model: `openai/${model}` };
    const delays = await measureDelays({ direct, bare: { ...direct, url: bare.url }, ours }, rounds);
    const stall = await measureStall(ours, provider, edgePid);
    const crowd = await measureCrowd(ours, crowdStreams, provider, edgePid);
    reportStreams(format, { delays, stall, crowd });
  } finally {
    await stack.stop();
  }
}
