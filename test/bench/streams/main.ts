// `npm run bench:streams`: what the gateway adds to a stream beside a direct connection to the same provider, and the
// memory that it takes for many slow streams and for one whose reader stalls. In one run, on one Linux machine.
import { startStack } from '@gateway/testing';
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
  const ours = { url: stack.baseUrl, apiKey: await prepareAccount(), model: `openai/${model}` };
  const delays = await measureDelays({ direct, bare: { ...direct, url: bare.url }, ours }, rounds);
  const stall = await measureStall(ours, provider, edgePid);
  const crowd = await measureCrowd(ours, crowdStreams, provider, edgePid);
  reportStreams({ delays, stall, crowd });
} finally {
  await stack.stop();
  for (const server of [provider, bare]) server.stop();
}

/** Connects the provider, and makes a key whose rate limit is never reached but always counted. */
async function prepareAccount(): Promise<string> {
  await api('PUT', '/v1/account/providers', {
    provider: 'openai',
    api_key: 'sk-bench-provider-key',
    base_url: `${provider.url}/v1`,
  });
  const created = await api('POST', '/v1/account/keys', { name: 'bench', rate_limit_rpm: 10_000_000 });
  return (created as { key: string }).key;
}

async function api(method: string, route: string, body: unknown): Promise<unknown> {
  const answer = await fetch(stack.baseUrl + route, {
    method,
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
