import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@gateway/testing';
import { eventually } from '../integration/stack.fixture.ts';
import { requireProgram } from '../../tools/bootstrap/stack/programs.ts';

/** An nginx load balancer in front of the edges. */
export interface Balancer {
  readonly url: string;
  /**
   * While `work` runs, the load balancer sends no new requests to the given edge. Meanwhile, the edge's open
   * requests continue.
   */
  without(edgeUrl: string, work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Renders the nginx configuration as in docs/operations/running.md. nginx opens one connection per request,
 * without buffering or retries.
 */
function renderConfiguration(directory: string, port: number, edges: readonly string[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${directory}/tmp;`)
    .join(' ');
  const servers = edges.map((url) => `server ${new URL(url).host};`).join(' ');
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; pid ${directory}/pid; error_log ${directory}/error.log warn; worker_processes 1;
events { worker_connections 4096; }
http {
  access_log off; client_max_body_size 64m; ${temporary}
  upstream edges { ${servers} }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://edges;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_set_header Host $host;
      proxy_buffering off;
      proxy_read_timeout 600s;
      proxy_next_upstream error timeout;
    }
  }
}
`;
}

/** Returns the running processes, each with its id, parent id and command. */
function listProcesses(): string[][] {
  if (process.platform !== 'linux') {
    const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
    return listed.split('\n').map((line) => line.trim().split(/\s+/));
  }
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const ppid = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '';
      return [[pid, ppid, readFileSync(`/proc/${pid}/cmdline`, 'utf8')]];
    } catch {
      // The process exited before its files were read.
      return [];
    }
  });
}

/**
 * Returns the nginx workers that accept new connections. A worker that is shutting down accepts no
 * connections and has a different process title.
 */
const listWorkers = (masterPid: number | undefined): string[] =>
  listProcesses()
    .filter(([, ppid, ...args]) => ppid === String(masterPid) && !args.join(' ').includes('shutting down'))
    .map(([pid = '']) => pid);

/** Starts nginx as a load balancer in front of the given edges. */
export async function startBalancer(edges: readonly string[]): Promise<Balancer> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-balancer-'));
  mkdirSync(join(directory, 'tmp'));
  const port = await findFreePort();
  const file = join(directory, 'nginx.conf');
  const write = (left: readonly string[]) => writeFileSync(file, renderConfiguration(directory, port, left));
  write(edges);
  const child = spawn(requireProgram('nginx'), ['-c', file, '-e', 'stderr'], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('nginx has ended');
    return (await fetch(url).catch(() => undefined)) && true;
  });
  const choose = async (left: readonly string[]) => {
    const before = listWorkers(child.pid);
    write(left);
    child.kill('SIGHUP');
    // Waits for the new nginx worker, which takes about as long as a change of Kubernetes endpoints (`preStop`).
    await eventually(() => {
      const now = listWorkers(child.pid);
      return now.length > 0 && !now.some((pid) => before.includes(pid)) ? true : undefined;
    });
  };
  return {
    url,
    without: async (edgeUrl, work) => {
      await choose(edges.filter((each) => each !== edgeUrl));
      await work();
      await choose(edges);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
