import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The requests of a conversation that grows by one turn with each request. Each repetition inserts a
 * different number between the two texts of a pair, so that the conversation is new.
 */
export type GrowingBody = readonly (readonly [before: string, after: string])[];

export interface LoadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | GrowingBody;
}

/** The result of a load run, with latencies in milliseconds. */
export interface LoadFigures {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const directory = mkdtempSync(join(tmpdir(), 'gateway-load-'));
let scripts = 0;

/**
 * Sends requests over several connections with wrk. wrk repeats one request, or sends the requests of growing
 * conversations in order. Throws an error if any response has a status other than 2xx.
 */
export async function runLoad(
  target: LoadTarget,
  connections: number,
  seconds: number,
): Promise<LoadFigures> {
  const script = join(directory, `${(scripts += 1)}.lua`);
  const texts = typeof target.body === 'string' ? [target.body] : target.body.flat();
  const files = texts.map((text, at) => {
    const file = join(directory, `${scripts}-${at}.json`);
    writeFileSync(file, text);
    return file;
  });
  writeFileSync(script, renderScript(target, files));
  const output = await run('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '-s',
    script,
    '--timeout',
    '10s',
    target.url,
  ]);
  const line = output.split('\n').find((text) => text.startsWith('{"requests"'));
  if (line === undefined) throw new Error(`wrk printed no figures:\n${output}`);
  const figures = JSON.parse(line) as {
    requests: number;
    duration: number;
    p50: number;
    p99: number;
    bad: number;
    errors: number;
  };
  if (figures.bad + figures.errors > 0) {
    throw new Error(
      `${target.url}: ${figures.bad} answers were errors, ${figures.errors} connections failed`,
    );
  }
  return {
    requests: figures.requests,
    requestsPerSecond: figures.requests / (figures.duration / 1e6),
    p50Ms: figures.p50 / 1000,
    p99Ms: figures.p99 / 1000,
  };
}

/** Each run numbers its conversations differently, so a running gateway receives only new conversations. */
function renderScript({ headers, body }: LoadTarget, files: readonly string[]): string {
  const lines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  const growing = `
local sent = 0
request = function()
  local turn = sent % (#texts / 2)
  local conversation = ${scripts} * 1000000 + (sent - turn) / (#texts / 2)
  sent = sent + 1
  return wrk.format(nil, nil, nil, texts[2 * turn + 1] .. conversation .. texts[2 * turn + 2])
end`;
  return `
wrk.method = "POST"
local texts = {}
for at, name in ipairs({${files.map((file) => JSON.stringify(file)).join(', ')}}) do
  local file = io.open(name, "rb")
  texts[at] = file:read("*all")
  file:close()
end
${lines.join('\n')}
${typeof body === 'string' ? 'wrk.body = texts[1]' : growing}
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"duration":%d,"p50":%d,"p99":%d,"bad":%d,"errors":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    e.status, e.connect + e.read + e.write + e.timeout))
end
`;
}

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code ?? 'a signal'}`)),
    );
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
