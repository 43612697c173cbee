import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCheckout } from '../../../../tools/bootstrap/setup/prepare.ts';
import { openDataDir } from '../../../../tools/bootstrap/stack/data-dir.ts';
import { launchSupervisor } from '../../../../tools/bootstrap/stack/launch-supervisor.ts';
import { identifyProcess, endProcess } from '../../../../tools/bootstrap/stack/process-identity.ts';
import { stackOptions } from '../../../../tools/bootstrap/stack/stack-options.ts';
import type { StackOptions } from '../../../../tools/bootstrap/stack/stack-options.ts';
import { endLeftovers } from '../../../../tools/bootstrap/stack/state-file.ts';
import { attachStack } from './stack-under-test.ts';
import type { StackUnderTest } from './stack-under-test.ts';

export interface TestStackOptions {
  /** Environment by service name, or `*` for all: wins over everything else. */
  readonly env?: Record<string, Record<string, string>>;
  /** Number of processes by service name; one each unless given. The second is called `<service>-2`. */
  readonly replicas?: Record<string, number>;
  /** The services to run; all unless given. With none there are still Postgres (migrated), Redis and NATS. */
  readonly apps?: readonly string[];
  /** By process name: unpacked images that run in place of this checkout's build. */
  readonly images?: StackOptions['images'];
  /** Have a NATS user `observer` who hears everything. */
  readonly hasObserver?: boolean;
  /** Have the supervisor start a process again that was killed. Unless set, the test does that. */
  readonly restartCrashed?: boolean;
}

const STOPPED_WITHIN_MS = 90_000;

/** What a private stack takes over from its caller: nothing that would lead it to somebody's real servers. */
function chooseEnv(): Record<string, string | undefined> {
  const { PATH, HOME, USER, LANG, TMPDIR } = process.env;
  return { PATH, HOME, USER, LANG, TMPDIR };
}

/**
 * Starts a private stack on free ports, with its data in the system's temporary directory, and settles when it is
 * ready. It ends with this process, whatever happens to it. Throws what went wrong, with the failing service's log.
 */
export async function startStack(options: TestStackOptions = {}): Promise<StackUnderTest> {
  await prepareCheckout({ env: {}, build: options.apps?.length !== 0 });
  const path = mkdtempSync(join(tmpdir(), 'agent-gateway-stack-'));
  const parsed = stackOptions.parse({
    ...options,
    dataDir: path,
    restartCrashed: options.restartCrashed ?? false,
    durable: false,
    endWithParent: true,
    ephemeral: true,
  });
  const supervisor = await launchSupervisor(parsed, chooseEnv());
  const identity = identifyProcess(supervisor.pid ?? 0);
  return attachStack(path, async () => {
    if (identity) await endProcess(identity, 'SIGTERM', STOPPED_WITHIN_MS);
    // Only a supervisor that was killed leaves anything.
    if (existsSync(path)) await endLeftovers(openDataDir(path));
    rmSync(path, { recursive: true, force: true });
  });
}

/** The stack that the suite's global set-up has started, for tests that leave its processes alone. */
export function sharedStack(): StackUnderTest {
  const path = process.env['SHARED_STACK_DATA_DIR'];
  if (!path) throw new Error('This suite has no shared stack: see test/shared-stack.setup.mjs.');
  return attachStack(path);
}
