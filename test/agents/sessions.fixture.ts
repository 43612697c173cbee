/** Runs an agent's session with a scripted provider, either directly or through the gateway. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startReplayProvider, type ReplayControls } from '@gateway/testing';
import type { Agent, AgentFormat } from '../../tools/agent/agents.ts';
import { configure, connectingArgs, type Endpoint } from '../../tools/agent/configure.ts';
import { installPackage } from '../../tools/agent/install-package.ts';
import type { McpServer } from '../../tools/agent/mcp-servers.ts';
import { renderTurn } from '../e2e/scripted-model.fixture.ts';
import { chooseTurn, type Task } from './capable-model.fixture.ts';
import { cachedText, readPrompt, type Prompt } from './prompts.fixture.ts';
import { SigningModel } from './signing-model.fixture.ts';
import type { Assignment } from './tasks.fixture.ts';
import { createWorkspace, runAgent, type Workspace } from './workspace.fixture.ts';

/** A request that the scripted provider received. */
export interface SessionRequest {
  /** The index of the user turn, starting at 0. */
  readonly turn: number;
  readonly prompt: Prompt;
  readonly tokens: number;
  readonly cachedTokens: number;
}

export interface Session {
  /** The address and key that the agent used to call the provider or gateway. */
  readonly endpoint: Endpoint;
  readonly exitCodes: readonly (number | null)[];
  readonly outputs: readonly string[];
  /** The contents of the files that the tasks wrote, by file name. */
  readonly files: Readonly<Record<string, string>>;
  readonly requests: readonly SessionRequest[];
  /** Whether the second turn resumed the session. If false, the second turn started a new session. */
  readonly isResumed: boolean;
  /** The model that signed the session's reasoning. Null if the model does not sign its reasoning. */
  readonly signing: SigningModel | null;
  /** The input token cost, expressed as a number of uncached input tokens. */
  readonly cost: number;
}

export const charactersPerToken = 4;
/** Providers cache prompts of at least 1,024 tokens, in steps of 128 tokens. */
const cachedTokensMin = 1024;
const cacheStepTokens = 128;
/** The prices of a cache read and a cache write, relative to uncached input (GPT-4.1, Claude Sonnet 4.5 and Opus 5.5). */
const prices = {
  signing: { read: 0.05, write: 1.25 },
  'chat-completions': { read: 0.25, write: 1 },
  responses: { read: 0.1, write: 1 },
  messages: { read: 0.1, write: 1.25 },
} as const;

/** A prompt cache that stores every prompt of a session. */
class PromptCache {
  readonly #prompts: string[] = [];

  read(cached: string): { tokens: number; cachedTokens: number } {
    const shared = Math.max(0, ...this.#prompts.map((earlier) => countShared(earlier, cached)));
    this.#prompts.push(cached);
    const steps = Math.floor(shared / charactersPerToken / cacheStepTokens) * cacheStepTokens;
    const tokens = Math.ceil(cached.length / charactersPerToken);
    return { tokens, cachedTokens: steps < cachedTokensMin ? 0 : steps };
  }
}

function countShared(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  for (let at = 0; at < end; at += 1) if (one[at] !== other[at]) return at;
  return end;
}

const troubledRequest = 3;

interface ProviderOptions {
  readonly trouble?: ReplayControls | undefined;
  /** The model that signs its reasoning. By default, responses have no reasoning. */
  readonly signing?: SigningModel | null;
}

/** Starts the scripted provider for one session. */
export async function openProvider(tasks: readonly Task[], options: ProviderOptions = {}) {
  const { trouble, signing = null } = options;
  const requests: SessionRequest[] = [];
  const cache = new PromptCache();
  const provider = await startReplayProvider();
  let turn = 0;
  let received = 0;
  provider.setControls((request) => {
    const { url, body } = request;
    // Some agents request the list of models.
    if (body.length === 0) return { status: 200, body: { object: 'list', data: [] } };
    received += 1;
    const isTroubled = trouble !== undefined && received === troubledRequest;
    if (isTroubled && trouble.status !== undefined) return trouble;
    const rejection = signing?.check(request);
    if (rejection !== undefined) return rejection;
    const prompt = readPrompt(url, body);
    const use = cache.read(cachedText(prompt));
    requests.push({ turn, prompt, ...use });
    const usage = { inputTokens: use.tokens, cachedInputTokens: use.cachedTokens, outputTokens: 20 };
    const isStream = (JSON.parse(body.toString('utf8')) as { stream?: boolean }).stream === true;
    const chosen = { ...chooseTurn(prompt, tasks), ...usage };
    const answer = signing?.answer(body, chosen) ?? renderTurn(prompt.format, chosen, isStream);
    return isTroubled ? { ...answer, ...trouble } : answer;
  });
  return { provider, requests, startTurn: (next: number) => (turn = next) };
}

export interface SessionOptions {
  readonly agent: Agent;
  readonly format: AgentFormat;
  readonly assignment: Assignment;
  /** Returns the agent's MCP servers. Without `serversOf`, the agent has no MCP servers. */
  readonly serversOf?: (workspace: Workspace) => readonly McpServer[];
  /** Whether the model signs its reasoning and rejects reasoning that follows a changed prompt prefix. */
  readonly isSigning?: boolean | undefined;
  /** The provider's failure at the session's third request, such as an error or a truncated stream. */
  readonly trouble?: ReplayControls;
  /** Connects the provider to the gateway. Without `connect`, the agent calls the provider without the gateway. */
  readonly connect?: (providerUrl: string) => Promise<Endpoint>;
}

/**
 * Runs one turn for each task, each in a new process. Each later turn resumes the session if the agent can
 * resume a session. Otherwise, each turn is a new session.
 */
export async function runSession(options: SessionOptions): Promise<Session> {
  const { agent, assignment, connect } = options;
  const packages = join(await installPackage(agent.name), 'node_modules');
  const command = resolve(packages, '.bin', agent.command);
  const workspace = createWorkspace(assignment.files);
  const { home, folder } = workspace;
  // Node loads packages from the folder of the agent's `.mjs` file.
  if (agent.file?.endsWith('.mjs')) symlinkSync(packages, join(home, 'node_modules'));
  const tasks = assignment.tasks(folder);
  const signing = options.isSigning === true ? new SigningModel() : null;
  const { trouble } = options;
  const { provider, requests, startTurn } = await openProvider(tasks, { trouble, signing });
  try {
    const endpoint = (await connect?.(provider.url)) ?? { base: provider.url, key: 'sk-direct' };
    const setting = { format: options.format, home, servers: options.serversOf?.(workspace) ?? [] };
    const env = configure(agent, endpoint, setting);
    const turns = [];
    for (const [turn, { prompt }] of tasks.entries()) {
      startTurn(turn);
      const start = (turn > 0 ? agent.resume : undefined) ?? agent.first;
      turns.push(
        await runAgent(command, [...connectingArgs(agent, setting), ...start(prompt)], workspace, env),
      );
    }
    const written = Object.keys(assignment.written);
    return {
      endpoint,
      exitCodes: turns.map(({ exitCode }) => exitCode),
      outputs: turns.map(({ output }) => output),
      files: Object.fromEntries(written.map((name) => [name, readOr(join(folder, name), '')])),
      requests,
      isResumed: agent.resume !== undefined,
      signing,
      cost: requests.reduce((sum, request) => sum + priceOf(request, signing !== null), 0),
    };
  } finally {
    workspace.remove();
    await provider.close();
  }
}

function readOr(path: string, instead: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return instead;
  }
}

function priceOf({ prompt: { format }, tokens, cachedTokens }: SessionRequest, isSigning: boolean): number {
  const { read, write } = prices[isSigning ? 'signing' : format];
  return cachedTokens * read + (tokens - cachedTokens) * write;
}
