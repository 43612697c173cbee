import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findProgram } from '../stack/programs.ts';

/** A server program to install, with its Debian and Homebrew package names. */
export interface ServerProgram {
  readonly program: string;
  readonly debian: string;
  readonly homebrew: string;
}

const redis: ServerProgram = { program: 'redis-server', debian: 'redis-server', homebrew: 'redis' };
const nats: ServerProgram = { program: 'nats-server', debian: 'nats-server', homebrew: 'nats-server' };

/** Returns the server programs that the stack itself runs, without external servers. */
function chooseServers(env: NodeJS.ProcessEnv): ServerProgram[] {
  return [...(env['REDIS_URL'] ? [] : [redis]), ...(env['NATS_URL'] ? [] : [nats])];
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): boolean {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const result = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  return result.status === 0;
}

/**
 * Returns the command prefix that runs a command as root, such as sudo. Returns null if the current user
 * cannot become root.
 */
function rootPrefix(): string[] | null {
  if (process.getuid?.() === 0) return [];
  const sudo = findProgram('sudo');
  if (sudo === null) return null;
  // Without a terminal, sudo cannot prompt for a password.
  return process.stdin.isTTY ? [sudo] : [sudo, '-n'];
}

function isDebian(): boolean {
  if (!existsSync('/etc/os-release') || findProgram('apt-get') === null) return false;
  return /^ID(_LIKE)?=.*(debian|ubuntu)/m.test(readFileSync('/etc/os-release', 'utf8'));
}

function installOnDebian(missing: readonly ServerProgram[]): boolean {
  const prefix = rootPrefix();
  if (prefix === null) return false;
  const asRoot = (...words: string[]) => {
    // With RUNLEVEL=1, packages do not start their servers on a machine without systemd.
    const settings = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1'];
    const [command = '', ...args] = [...prefix, 'env', ...settings, ...words];
    return run(command, args);
  };
  const packages = missing.map(({ debian }) => debian);
  const install = () => asRoot('apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages);
  const known = spawnSync('apt-cache', ['show', ...packages], { stdio: 'ignore' }).status === 0;
  if (!(known && install()) && !(asRoot('apt-get', 'update', '-q') && install())) return false;
  // The Debian packages start a system-wide server, which the stack does not need.
  if (existsSync('/run/systemd/system')) asRoot('systemctl', 'disable', '--now', ...packages);
  return true;
}

function installOnMac(missing: readonly ServerProgram[]): boolean {
  const brew = findProgram('brew');
  return brew !== null && run(brew, ['install', ...missing.map(({ homebrew }) => homebrew)]);
}

/**
 * Installs Redis and nats-server if they are missing and not external. If the installation fails, throws an
 * error with the missing servers and the alternatives.
 */
export function installServers(env: NodeJS.ProcessEnv): void {
  const still = installPrograms(chooseServers(env));
  if (still.length === 0) return;
  throw new Error(
    `Missing: ${still.join(', ')}. They could not be installed here (that takes Debian with root or sudo, or Homebrew).
Install them by hand, or run them in containers: \`npm run compose:prepare\`, then follow deploy/compose.yaml.`,
  );
}

/**
 * Installs missing programs with apt-get on Debian (as root or through sudo), or with Homebrew on macOS.
 * Returns the names of programs that are still missing.
 */
export function installPrograms(programs: readonly ServerProgram[]): string[] {
  const isMissing = ({ program }: ServerProgram) => findProgram(program) === null;
  const missing = programs.filter(isMissing);
  if (missing.length === 0) return [];
  console.log(`Installing ${missing.map(({ program }) => program).join(', ')} …`);
  if (process.platform === 'darwin') installOnMac(missing);
  else if (isDebian()) installOnDebian(missing);
  return missing.filter(isMissing).map(({ program }) => program);
}
