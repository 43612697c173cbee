// `npm run bench:capacity [-- --requests N]` measures the CPU time per request of each process.
// The benchmark scales the CPU time to 10,000 requests per second.
// CPU time does not depend on other load on the machine. The benchmark works on Linux only.
import { Agent, request } from 'node:http';
import { setTimeout as waitMs } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { githubTools } from '../../e2e/github-tools.fixture.ts';
import { callAccount } from '../gateway/bench-account.ts';
import { readProcessUse, type ProcessUse } from './processor-time.ts';

const { values: flags } = parseArgs({ options: { requests: { type: 'string', default: '3000' } } });
const requests = Number(flags.requests);
const concurrency = 8;
const toolsInTurn = 40;
/** The maximum time in milliseconds from the last response until the request log is complete. */
const logWaitMs = 5_000;
const idleMs = 5_000;
const target = 10_000;
/**
 * The planned maximum CPU utilization. The remaining capacity covers load peaks and process
 * restarts.
 */
const utilization = 0.6;

interface Kind {
  readonly name: string;
  readonly body: (number: number) => object;
}

const model = 'sandbox/sandbox-1';
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: githubTools[0]?.function.name, arguments: '{}' },
};
const kinds: readonly Kind[] = [
  { name: 'plain', body: (number) => ({ model, messages: [{ role: 'user', content: `Hello ${number}` }] }) },
  {
    name: `agent turn, ${toolsInTurn} tools, streamed`,
    body: (number) => ({
      model,
      stream: true,
      tools: githubTools.slice(0, toolsInTurn),
      messages: [
        { role: 'user', content: `Create an issue titled "Number ${number % 100}" in octo/hello` },
        { role: 'assistant', content: null, tool_calls: [call] },
        {
          role: 'tool',
          tool_call_id: 'call_1',
          content: JSON.stringify({ number, items: [1, 2, 3] }, null, 4),
        },
      ],
    }),
  },
];

const agent = new Agent({ keepAlive: true, maxSockets: concurrency });

function post(url: string, key: string, body: object): Promise<void> {
  const bytes = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(bytes),
  };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200
          ? resolve()
          : reject(new Error(`the response has the status ${answer.statusCode ?? 0}`)),
      );
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end(bytes);
  });
}

async function run(stack: StackUnderTest, key: string, kind: Kind, count: number): Promise<void> {
  let sent = 0;
  const work = async () => {
    while (sent < count) await post(stack.baseUrl, key, kind.body(sent++));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await waitMs(logWaitMs);
}

/**
 * The CPU use of idle processes (health checks, timers, the queue). The unit is milliseconds of CPU time per
 * millisecond of elapsed time.
 */
async function measureIdle(stack: StackUnderTest): Promise<Map<string, number>> {
  const before = readProcessUse(stack);
  await waitMs(idleMs);
  return new Map(
    [...readProcessUse(stack)].map(([name, { processorMs }]) => [
      name,
      (processorMs - (before.get(name)?.processorMs ?? 0)) / idleMs,
    ]),
  );
}

interface Measured {
  readonly before: ReadonlyMap<string, ProcessUse>;
  readonly after: ReadonlyMap<string, ProcessUse>;
  readonly idle: ReadonlyMap<string, number>;
  readonly elapsedMs: number;
}

function report(kind: Kind, { before, after, idle, elapsedMs }: Measured): void {
  console.log(`\n${kind.name}: ${requests} requests`);
  console.log(`| process | ms of a processor a request | MiB | processors at ${target} requests/s |`);
  console.log('| --- | --- | --- | --- |');
  for (const [name, { processorMs, residentBytes }] of after) {
    const used = processorMs - (before.get(name)?.processorMs ?? 0) - (idle.get(name) ?? 0) * elapsedMs;
    const each = Math.max(0, used) / requests;
    const processors = Math.ceil((each * target) / 1_000 / utilization);
    const mebibytes = (residentBytes / 1024 ** 2).toFixed(0);
    console.log(`| \`${name}\` | ${each.toFixed(2)} | ${mebibytes} | ${processors} |`);
  }
}

const stack = await startStack({ env: { 'edge-gateway': { PLAN_DEADLINE_MS: '3000' } } });
try {
  const limits = { rate_limit_rpm: 10_000_000, daily_token_budget: 1e15, weekly_token_budget: 1e15 };
  const created = await callAccount(stack, 'POST', '/v1/account/keys', { name: 'bench', ...limits });
  const { key } = created as { key: string };
  for (const kind of kinds) {
    await run(stack, key, kind, Math.ceil(requests / 3));
    const idle = await measureIdle(stack);
    const before = readProcessUse(stack);
    const begunAt = performance.now();
    await run(stack, key, kind, requests);
    report(kind, { before, after: readProcessUse(stack), idle, elapsedMs: performance.now() - begunAt });
  }
} finally {
  agent.destroy();
  await stack.stop();
}
