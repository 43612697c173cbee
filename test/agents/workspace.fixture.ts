/** Runs each agent in its own home folder and workspace. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { writeInto } from '../../tools/agent/configure.ts';
import { installPackage } from '../../tools/agent/install-package.ts';
import type { McpServer } from '../../tools/agent/mcp-servers.ts';

const TURN_WITHIN_MS = 150_000;

export interface Workspace {
  readonly home: string;
  /** The path of the workspace, a git repository with one commit. */
  readonly folder: string;
  remove(): void;
}

export function createWorkspace(files: Readonly<Record<string, string>>): Workspace {
  const base = mkdtempSync(join(tmpdir(), 'agents-under-test-'));
  const [home, folder] = [join(base, 'home'), join(base, 'work')];
  mkdirSync(home);
  for (const [name, text] of Object.entries(files)) writeInto(join(folder, name), text);
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...author, 'commit', '-q', '-m', 'Start'],
  ])
    execFileSync('git', args, { cwd: folder });
  const remove = (): void => {
    endProcesses(home);
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { home, folder, remove };
}

/** Ends running processes with the agent's HOME variable, such as Cline's hub. */
function endProcesses(home: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // A process that has ended or that belongs to another user cannot be read.
    }
}

/** The workspace file in which the MCP server `memory` stores its knowledge graph. */
export const memoryFile = 'memory.jsonl';

/** Installs four MCP servers with 74 tools. Returns a function that configures the servers for a workspace. */
export async function installServers(): Promise<(workspace: Workspace) => readonly McpServer[]> {
  const commands = join(await installPackage('mcp-servers'), 'node_modules/.bin');
  return ({ folder }) => [
    serverOf('files', join(commands, 'mcp-server-filesystem'), [folder]),
    serverOf('memory', join(commands, 'mcp-server-memory'), [], {
      MEMORY_FILE_PATH: join(folder, memoryFile),
    }),
    serverOf('github', join(commands, 'mcp-server-github'), []),
    serverOf('playwright', join(commands, 'playwright-mcp'), []),
  ];
}

/** Some agents start MCP servers without the variable `PATH`, so the command is the absolute path of Node. */
function serverOf(name: string, script: string, args: readonly string[], env = {}): McpServer {
  return { name, command: process.execPath, args: [script, ...args], env };
}

/** Environment variables that restrict a process to servers on this machine. */
const offline = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
};

export interface TurnOutcome {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs one turn of an agent, without a terminal. */
export function runAgent(
  command: string,
  args: readonly string[],
  { home, folder }: Workspace,
  env: Readonly<Record<string, string>>,
): Promise<TurnOutcome> {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(command, args, {
    cwd: folder,
    // Some agents leave unpacked libraries in the folder for temporary files.
    env: { PATH: path, LANG: 'C.UTF-8', TMPDIR: home, ...offline, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TURN_WITHIN_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return new Promise((settle, reject) => {
    child.once('error', reject);
    // Processes that an agent leaves running may keep its output open.
    child.once('exit', (exitCode) => setTimeout(() => settle({ exitCode, output }), 50));
  });
}
