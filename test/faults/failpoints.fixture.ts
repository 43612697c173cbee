import type { Failpoint } from '@gateway/observability';
import { startStack, type StackUnderTest } from '@gateway/testing';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../integration/stack.fixture.ts';

const root = join(import.meta.dirname, '../..');

/** The service that each failpoint kills. */
const services = {
  'commit-announce': 'account',
  'spool-ship': 'edge-gateway',
  'ship-commit': 'worker',
  'settle-flush': 'edge-gateway',
  'plan-store': 'edge-gateway',
} as const satisfies Record<Failpoint, string>;

/** A private stack in which a test can kill a service at a failpoint. */
export interface FailpointStack {
  readonly stack: StackUnderTest;
  /**
   * Arms the failpoint and calls `work`. Resolves when the failpoint has killed the service, and the supervisor
   * has restarted it. Returns the result of `work`, or undefined if `work` failed because of the killed service.
   */
  killAt<T>(name: Failpoint, work: () => Promise<T>): Promise<T | undefined>;
  stop(): Promise<void>;
}

/** Builds the services with failpoints and starts them in a stack. */
export async function startFailpointStack(): Promise<FailpointStack> {
  const folder = mkdtempSync(join(tmpdir(), 'failpoints-'));
  const apps = [...new Set(Object.values(services))];
  execFileSync(process.execPath, ['tools/build/build.mjs', '--failpoints', folder, ...apps], { cwd: root });
  const main = (app: string) => join(root, 'dist/failpoints', app, 'main.js');
  const images = Object.fromEntries(
    apps.map((app) => [
      app,
      { directory: root, command: [process.execPath, '--enable-source-maps', main(app)], env: {} },
    ]),
  );
  const stack = await startStack({ restartCrashed: true, images });
  return {
    stack,
    killAt: async (name, work) => {
      const unit = stack.service(services[name]);
      const { pid } = unit;
      const file = join(folder, name);
      writeFileSync(file, '');
      const result = await work().catch(() => undefined);
      await eventually(() => (!existsSync(file) && unit.pid !== pid ? true : undefined));
      await unit.waitReady();
      return result;
    },
    stop: async () => {
      await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
