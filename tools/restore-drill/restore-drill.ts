import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { backUpCluster, restoreCluster } from '../bootstrap/stack/cluster-copy.ts';
import { openDataDir, writePrivateFile } from '../bootstrap/stack/data-dir.ts';
import type { DataDir } from '../bootstrap/stack/data-dir.ts';
import { readDevInfo } from '../bootstrap/stack/dev-file.ts';
import type { DevInfo } from '../bootstrap/stack/dev-file.ts';
import { launchSupervisor } from '../bootstrap/stack/launch-supervisor.ts';
import { endProcess, identifyProcess } from '../bootstrap/stack/process-identity.ts';
import { root } from '../bootstrap/stack/root.ts';
import { readSecrets } from '../bootstrap/stack/secrets.ts';
import { stackOptions } from '../bootstrap/stack/stack-options.ts';
import { endLeftovers } from '../bootstrap/stack/state-file.ts';
import { checkedRestore } from './checked-restore.ts';
import type { CheckedRestore, CheckRequest } from './checked-restore.ts';

/** The outcome of a restore drill. */
export interface DrillOutcome extends CheckedRestore {
  readonly backupBytes: number;
  readonly backupMs: number;
  /** The time in milliseconds between the start of the restore and the first moment when all services respond. */
  readonly restoreMs: number;
}

export interface DrillOptions {
  /** The data directory of a running stack. */
  readonly dataDir: string;
  /** The backup folder, which must not exist yet. By default, the backup is deleted after the drill. */
  readonly keepIn?: string | undefined;
}

/**
 * The paths of a backup's two parts. Together, the two parts give access to the credentials, so store them
 * separately.
 */
const databasesIn = (backup: string) => join(backup, 'databases/postgres');
const keysIn = (backup: string) => join(backup, 'keys/secrets.json');

const stoppedWithinMs = 90_000;
const checkedWithinMs = 10 * 60_000;
/**
 * The variables of the caller's environment that are passed to the stack. Keys in the caller's variables
 * override the stack's keys.
 */
const passedOn = /^(PATH|HOME|USER|LANG|TMPDIR|KEY_PEPPER|SESSION_SECRET|VAULT_K.+)$/;

/**
 * Backs up a running stack, restores the backup into a separate stack, and decrypts every credential in the
 * separate stack. The drill only reads from the running stack. Throws if a step fails. The report lists the
 * credentials that cannot be decrypted.
 */
export async function runRestoreDrill(options: DrillOptions): Promise<DrillOutcome> {
  const source = openDataDir(options.dataDir);
  const dev = readDevInfo(source);
  if (!dev) throw new Error(`No stack is running with the data directory ${source.path}. Start one first.`);
  if (dev.postgres.admin === null)
    throw new Error('This stack uses external databases. Back them up with their own tools.');
  const backup = options.keepIn ?? mkdtempSync(join(tmpdir(), 'agent-gateway-backup-'));
  if (options.keepIn !== undefined && existsSync(options.keepIn))
    throw new Error(`${options.keepIn} exists already. Name a new folder.`);
  try {
    const beganAt = performance.now();
    const backupBytes = await backUp(source, dev.postgres.admin, backup);
    const backupMs = performance.now() - beganAt;
    return { backupBytes, backupMs, ...(await restoreAndCheck(backup, dev.api_key)) };
  } finally {
    if (options.keepIn === undefined) rmSync(backup, { recursive: true, force: true });
  }
}

/** Decrypts every credential in a running stack, for example after a manual restore. */
export function checkStack(path: string): Promise<CheckedRestore> {
  const dataDir = openDataDir(path);
  return check(dataDir, readDevInfo(dataDir)?.api_key ?? null);
}

async function backUp(source: DataDir, adminUrl: string, backup: string): Promise<number> {
  mkdirSync(join(backup, 'keys'), { recursive: true, mode: 0o700 });
  // This process first creates an empty file that only the user of this process can read.
  writePrivateFile(keysIn(backup), '');
  copyFileSync(source.secretsFile, keysIn(backup));
  return backUpCluster(source, adminUrl, databasesIn(backup));
}

/**
 * Starts the account service and the vault on the database copy, queries both services, and deletes the
 * copy.
 */
async function restoreAndCheck(
  backup: string,
  apiKey: string | null,
): Promise<CheckedRestore & { restoreMs: number }> {
  const beganAt = performance.now();
  const path = mkdtempSync(join(tmpdir(), 'agent-gateway-restored-'));
  const target = openDataDir(path);
  writePrivateFile(target.secretsFile, '');
  copyFileSync(keysIn(backup), target.secretsFile);
  await restoreCluster(target, databasesIn(backup));
  const options = stackOptions.parse({
    dataDir: path,
    apps: ['account', 'provider-vault'],
    restartCrashed: false,
    durable: false,
    endWithParent: true,
    ephemeral: true,
  });
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
  const supervisor = await launchSupervisor(options, env);
  try {
    const restoreMs = performance.now() - beganAt;
    return { ...(await check(target, apiKey)), restoreMs };
  } finally {
    const identity = identifyProcess(supervisor.pid ?? 0);
    if (identity) await endProcess(identity, 'SIGTERM', stoppedWithinMs);
    if (existsSync(path)) await endLeftovers(target);
    rmSync(path, { recursive: true, force: true });
  }
}

function required(dev: DevInfo | null): DevInfo {
  if (!dev) throw new Error('No stack is running. Start one first.');
  return dev;
}

async function check(restored: DataDir, apiKey: string | null): Promise<CheckedRestore> {
  const dev = required(readDevInfo(restored));
  const user = 'edge-gateway';
  const request: CheckRequest = {
    natsUrl: dev.nats_url,
    user,
    password: readSecrets(restored).natsUsers[user] ?? '',
    vaultDatabaseUrl: dev.postgres.vault,
    apiKey,
  };
  const child = spawn(process.execPath, [join(root, 'dist/tools/check-restored.js')], {
    cwd: root,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: checkedWithinMs,
  });
  child.stdin.on('error', () => undefined).end(JSON.stringify(request));
  const ended = new Promise<number | null>((settle, reject) => {
    child.once('error', reject);
    child.once('exit', settle);
  });
  const [answer, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`The check of the restored stack failed: ${complaint.trim()}`);
  return checkedRestore.parse(JSON.parse(answer));
}
