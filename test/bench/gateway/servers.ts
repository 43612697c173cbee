import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@gateway/testing';
import { installPrograms } from '../../../tools/bootstrap/setup/servers.ts';

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-mini',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello! How can I help you today?' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
});

const response = JSON.stringify({
  id: 'resp_bench',
  object: 'response',
  created_at: 1_790_000_000,
  model: 'gpt-4o-mini',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'msg_bench',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hello! How can I help you today?', annotations: [] }],
    },
  ],
  usage: { input_tokens: 12, output_tokens: 9, total_tokens: 21 },
});

/**
 * Installs the load generator (wrk) and nginx, which serves as the test provider. If a program is missing,
 * throws an error that names the program.
 */
export function installBenchPrograms(): void {
  const missing = installPrograms([
    { program: 'nginx', debian: 'nginx-light', homebrew: 'nginx' },
    { program: 'wrk', debian: 'wrk', homebrew: 'wrk' },
  ]);
  if (missing.length > 0) throw new Error(`The benchmark needs ${missing.join(' and ')}.`);
}

/**
 * Starts nginx as the test provider. nginx sends one fixed response per format, so the provider needs little
 * CPU time.
 */
export async function startProvider(): Promise<RunningServer> {
  const port = await findFreePort();
  const directory = mkdtempSync(join(tmpdir(), 'gateway-provider-'));
  mkdirSync(join(directory, 'tmp'));
  const configuration = join(directory, 'nginx.conf');
  writeFileSync(
    configuration,
    `daemon off; master_process off; pid ${directory}/pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 100000000; client_max_body_size 64m; client_body_buffer_size 4m;
  client_body_temp_path ${directory}/tmp; proxy_temp_path ${directory}/tmp; fastcgi_temp_path ${directory}/tmp;
  uwsgi_temp_path ${directory}/tmp; scgi_temp_path ${directory}/tmp;
  server {
    listen 127.0.0.1:${port}; default_type application/json;
    location / { return 200 '${answer}'; }
    location /v1/responses { return 200 '${response}'; }
  }
}`,
  );
  return started(
    spawn('nginx', ['-c', configuration, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] }),
    port,
  );
}

/** Starts the baseline, a Node server that only forwards requests with undici. */
export async function startBareProxy(providerUrl: string): Promise<RunningServer> {
  const port = await findFreePort();
  const script = join(import.meta.dirname, 'bare-proxy.mjs');
  return started(
    spawn(process.execPath, [script, String(port), providerUrl], { stdio: ['ignore', 'ignore', 'inherit'] }),
    port,
  );
}

/** For comparison, starts Portkey's gateway with its package's start command. */
export async function startPortkey(): Promise<RunningServer> {
  const port = await findFreePort();
  const manifest = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json');
  const script = join(manifest, '../build/start-server.js');
  const child = spawn(process.execPath, [script, `--port=${port}`, '--headless'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  });
  return started(child, port);
}

async function started(child: ChildProcess, port: number): Promise<RunningServer> {
  process.once('exit', () => child.kill('SIGKILL'));
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    if (await accepts(port))
      return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => child.kill('SIGKILL') };
    await sleep(50);
  }
  throw new Error(`${child.spawnfile} does not listen on ${port}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
