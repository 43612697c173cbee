/** Installs the agents, and runs each agent in a separate home folder and workspace. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Agent } from './agents.fixture.ts';

const root = join(import.meta.dirname, '../..');
const TURN_WITHIN_MS = 120_000;

/**
 * Installs the pinned agents from the npm registry, unless an earlier run installed the same versions.
 * @returns the folder of the agents' commands
 */
export async function installAgents(): Promise<string> {
  const files = ['package.json', 'package-lock.json'];
  const versions = createHash('sha256');
  for (const file of files) versions.update(readFileSync(join(import.meta.dirname, file)));
  const folder = join(root, '.data/agents', versions.digest('hex').slice(0, 16));
  const commands = join(folder, 'node_modules/.bin');
  if (existsSync(commands)) return commands;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const file of files) cpSync(join(import.meta.dirname, file), join(unfinished, file));
  // `npm ci` fails if a registry lacks an optional package for another operating system.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit-lockfile-registry-resolved'];
  await promisify(execFile)('npm', ['install', ...options], {
    cwd: unfinished,
  });
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return commands;
}

export interface Workspace {
  readonly home: string;
  /** The path of the workspace, which is a git repository with one commit. */
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
  return { home, folder, remove: () => rmSync(base, { recursive: true, force: true }) };
}

function writeInto(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The gateway address and API key that replace `BASE` and `KEY` in the guides. */
export interface Endpoint {
  readonly base: string;
  readonly key: string;
}

/**
 * Returns the configuration from an agent's guide, which is the first code block in the agent's configuration
 * language.
 */
function readGuide({ guide, language, adapt = (text) => text }: Agent, { base, key }: Endpoint): string {
  const page = readFileSync(join(root, 'docs/guides/agents', guide), 'utf8');
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1];
  if (block === undefined) throw new Error(`${guide} contains no block of ${language}.`);
  return adapt(block)
    .replaceAll(/\bBASE\b/g, base)
    .replaceAll(/\bKEY\b/g, key);
}

/** Writes the guide's configuration into the agent's home folder. Returns the agent's environment variables. */
export function configure(agent: Agent, { home }: Workspace, endpoint: Endpoint): Record<string, string> {
  const configuration = readGuide(agent, endpoint);
  if (agent.file !== undefined) writeInto(join(home, agent.file), configuration);
  const exported = [...configuration.matchAll(/^export (\w+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  return {
    HOME: home,
    // The proxy variables let agents reach only servers on this machine.
    HTTPS_PROXY: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    GATEWAY_API_KEY: endpoint.key,
    ...Object.fromEntries(exported),
    ...agent.env,
  };
}

export interface TurnOutcome {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs one turn of an agent without a terminal. */
export function runAgent(
  command: string,
  args: readonly string[],
  { home, folder }: Workspace,
  env: Readonly<Record<string, string>>,
): Promise<TurnOutcome> {
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(
    command,
    args.map((arg) => arg.replace(/^HOME\//, `${home}/`)),
    {
      cwd: folder,
      env: { PATH: path, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TURN_WITHIN_MS,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => settle({ exitCode, output }));
  });
}
