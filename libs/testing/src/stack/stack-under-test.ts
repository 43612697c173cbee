import { existsSync, readFileSync } from 'node:fs';
import { controlUnit } from '../../../../tools/bootstrap/stack/control-client.ts';
import { openDataDir } from '../../../../tools/bootstrap/stack/data-dir.ts';
import type { DataDir } from '../../../../tools/bootstrap/stack/data-dir.ts';
import { readDevInfo } from '../../../../tools/bootstrap/stack/dev-file.ts';
import type { DevInfo } from '../../../../tools/bootstrap/stack/dev-file.ts';
import { waitUntil } from '../../../../tools/bootstrap/stack/process-identity.ts';
import { readSecrets } from '../../../../tools/bootstrap/stack/secrets.ts';

export type { DevInfo };

const ENDED_WITHIN_MS = 10_000;

/**
 * A process in a stack, which is either a service (`tool-router`, `tool-router-2`, …) or a server
 * (`postgres`, `redis`, `redis-cache`, `nats`).
 */
export interface UnitUnderTest {
  readonly name: string;
  /** The process id. Null while the process is down. */
  readonly pid: number | null;
  /**
   * Sends a signal. If the signal kills the process immediately, the promise resolves after the process has
   * exited.
   */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Shuts the process down and does not restart it. */
  stop(): Promise<void>;
  /** Starts the process and waits until it is ready. */
  start(): Promise<void>;
  /** Shuts the process down if it is running, starts the process, and waits until it is ready. */
  restart(): Promise<void>;
  waitReady(): Promise<void>;
}

export interface StackUnderTest {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly accountId: string;
  /** An API key for the demo account. */
  readonly apiKey: string;
  /** The current contents of dev.json. The process ids in dev.json change after a restart. */
  readonly dev: DevInfo;
  service(name: string): UnitUnderTest;
  /** The complete log of a service or server. */
  logs(name: string): string;
  /** Connection details for a NATS user, with that user's permissions. */
  natsCredentials(user: string): { readonly url: string; readonly user: string; readonly password: string };
  /** The addresses of both Redis servers, with the permissions of one service. */
  redisUrls(user: string): Readonly<Record<'queue' | 'cache', string>>;
  /** Stops the stack and deletes its data. A shared stack is not stopped. */
  stop(): Promise<void>;
}

function readDev(dataDir: DataDir): DevInfo {
  const dev = readDevInfo(dataDir);
  if (!dev) throw new Error(`There is no dev.json in ${dataDir.path}.`);
  return dev;
}

function describeUnit(dataDir: DataDir, name: string): UnitUnderTest {
  const readPid = () => {
    const unit = readDev(dataDir).services[name];
    if (!unit) throw new Error(`There is no ${name} in this stack.`);
    return unit.pid;
  };
  const control = (action: 'start' | 'stop' | 'ready') => controlUnit(dataDir, name, action);
  const start = async () => {
    await control('start');
    await control('ready');
  };
  return {
    name,
    get pid() {
      return readPid();
    },
    async kill(signal = 'SIGKILL') {
      const pid = readPid();
      if (pid === null) return;
      process.kill(pid, signal);
      if (signal === 'SIGKILL') await waitUntil(() => readPid() !== pid, ENDED_WITHIN_MS, 10);
    },
    stop: () => control('stop'),
    start,
    async restart() {
      await control('stop');
      await start();
    },
    waitReady: () => control('ready'),
  };
}

function required(value: string | null, name: string): string {
  if (value === null)
    throw new Error(`This stack has no ${name}, because the service that creates the value is not running.`);
  return value;
}

/** Returns a handle for the running stack that stores its data in the folder `path`. */
export function attachStack(path: string, stop: () => Promise<void> = async () => {}): StackUnderTest {
  const dataDir = openDataDir(path);
  return {
    dataDir: path,
    get dev() {
      return readDev(dataDir);
    },
    get baseUrl() {
      return required(readDev(dataDir).base_url, 'edge');
    },
    get accountId() {
      return required(readDev(dataDir).account_id, 'account');
    },
    get apiKey() {
      return required(readDev(dataDir).api_key, 'demo key');
    },
    service: (name) => describeUnit(dataDir, name),
    logs(name) {
      const file = dataDir.logFile(name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
    natsCredentials(user) {
      const { natsUsers } = readSecrets(dataDir);
      return {
        url: readDev(dataDir).nats_url,
        user,
        password: required(natsUsers[user] ?? null, `NATS user ${user}`),
      };
    },
    redisUrls(user) {
      const password = required(readSecrets(dataDir).redisUsers[user] ?? null, `Redis user ${user}`);
      const { redis_url, redis_cache_url } = readDev(dataDir);
      const as = (address: string) => Object.assign(new URL(address), { username: user, password }).href;
      return { queue: as(redis_url), cache: as(redis_cache_url) };
    },
    stop,
  };
}
