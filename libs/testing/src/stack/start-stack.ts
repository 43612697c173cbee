import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCheckout } from '../../../../tools/bootstrap/setup/prepare.ts';
import { openDataDir } from '../../../../tools/bootstrap/stack/data-dir.ts';
import { launchSupervisor } from '../../../../tools/bootstrap/stack/launch-supervisor.ts';
import { identifyProcess, endProcess } from '../../../../tools/bootstrap/stack/process-identity.ts';
import { stackOptions, type StackOptions } from '../../../../tools/bootstrap/stack/stack-options.ts';
import { endLeftovers } from '../../../../tools/bootstrap/stack/state-file.ts';
import { attachStack, type StackUnderTest } from './stack-under-test.ts';

export interface TestStackOptions {
  /**
   * Environment variables by service name, or `*` for all services. The given variables override all other
   * settings. The account API's rate limits are raised unless the given variables set them.
   */
  readonly env?: Record<string, Record<string, string>>;
  /**
   * Number of processes by service name. The default is one process per service. The name of a service's
   * second process has the form `<service>-2`.
   */
  readonly replicas?: Record<string, number>;
  /**
   * The services that the stack runs. By default, all services run. If the list is empty, only Postgres (with
   * migrations applied), Redis and NATS run.
   */
  readonly apps?: readonly string[];
  /** Unpacked images to run instead of the build of this checkout, by process name. */
  readonly images?: StackOptions['images'];
  /** The addresses of external servers by variable, such as `REDIS_URL`. The stack does not start these servers. */
  readonly servers?: Readonly<Record<string, string>>;
  /** Whether to create a NATS user `observer` that receives all messages. */
  readonly hasObserver?: boolean;
  /**
   * Whether the supervisor restarts killed processes. By default, a killed process stays down until the
   * test restarts it.
   */
  readonly restartCrashed?: boolean;
}

/** Tests call the account API more often than users do. */
const raisedLimits = {
  ACCOUNT_READ_RPM: '100000',
  ACCOUNT_ANALYTICS_RPM: '100000',
  ACCOUNT_WRITE_RPM: '100000',
  ACCOUNT_EXPORT_RPM: '100000',
};

const STOPPED_WITHIN_MS = 90_000;

/** The environment variables that a private stack inherits. No variable contains the address of a server. */
function chooseEnv(): Record<string, string | undefined> {
  const { PATH, HOME, USER, LANG, TMPDIR } = process.env;
  return { PATH, HOME, USER, LANG, TMPDIR };
}

/**
 * Starts a private stack on free ports, with its data in the temporary directory. Resolves when the
 * stack is ready. The stack always ends together with this process. Throws an error with the log of the
 * service that failed.
 */
export async function startStack(options: TestStackOptions = {}): Promise<StackUnderTest> {
  await prepareCheckout({ env: {}, build: options.apps?.length !== 0 });
  const path = mkdtempSync(join(tmpdir(), 'agent-gateway-stack-'));
  const parsed = stackOptions.parse({
    ...options,
    env: { ...options.env, '*': { ...raisedLimits, ...options.env?.['*'] } },
    dataDir: path,
    restartCrashed: options.restartCrashed ?? false,
    durable: false,
    endWithParent: true,
    ephemeral: true,
  });
  const supervisor = await launchSupervisor(parsed, { ...chooseEnv(), ...options.servers });
  const identity = identifyProcess(supervisor.pid ?? 0);
  return attachStack(path, async () => {
    if (identity) await endProcess(identity, 'SIGTERM', STOPPED_WITHIN_MS);
    // If the supervisor was killed, its processes still run and must be stopped here.
    if (existsSync(path)) await endLeftovers(openDataDir(path));
    rmSync(path, { recursive: true, force: true });
  });
}

/** The stack that the test suite's global setup started. Tests must not stop the processes of the shared stack. */
export function sharedStack(): StackUnderTest {
  const path = process.env['SHARED_STACK_DATA_DIR'];
  if (!path)
    throw new Error(
      'This suite has no shared stack. The file test/shared-stack.setup.mjs starts the shared stack.',
    );
  return attachStack(path);
}
