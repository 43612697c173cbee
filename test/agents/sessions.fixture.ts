/** A session of an agent against a scripted provider: directly or through the gateway. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReplayProvider, type ReplayControls } from '@gateway/testing';
import { renderTurn } from '../e2e/scripted-model.fixture.ts';
import type { Agent } from './agents.fixture.ts';
import { chooseTurn, type Task } from './capable-model.fixture.ts';
import { readPrompt, type Prompt } from './prompts.fixture.ts';
import { configure, createWorkspace, runAgent, type Endpoint } from './workspace.fixture.ts';

/** A request as the provider received it. */
export interface SessionRequest {
  /** The turn of the user, from 0. */
  readonly turn: number;
  readonly prompt: Prompt;
  readonly tokens: number;
  readonly cachedTokens: number;
}

export interface Session {
  readonly exitCodes: readonly (number | null)[];
  readonly outputs: readonly string[];
  /** The contents of the files that the tasks write, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly requests: readonly SessionRequest[];
  /** The price of the input, in tokens at the price of uncached input. */
  readonly cost: number;
}

const charactersPerToken = 4;
/** Providers cache prompts of at least 1,024 tokens, in steps of 128 tokens. */
const cachedTokensMin = 1024;
const cacheStepTokens = 128;
/** Prices relative to uncached input: a cache read and a cache write (GPT-4.1, Claude Sonnet 4.5). */
const prices = {
  'chat-completions': { read: 0.25, write: 1 },
  responses: { read: 0.1, write: 1 },
  messages: { read: 0.1, write: 1.25 },
} as const;

/** A prompt cache that holds every prompt of a session. */
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

/** Starts the scripted provider of one session. */
async function openProvider(tasks: readonly Task[], trouble?: ReplayControls) {
  const requests: SessionRequest[] = [];
  const cache = new PromptCache();
  const provider = await startReplayProvider();
  let turn = 0;
  let received = 0;
  provider.setControls(({ url, body }) => {
    // Some agents request a list of models.
    if (body.length === 0) return { status: 200, body: { object: 'list', data: [] } };
    received += 1;
    const isTroubled = trouble !== undefined && received === troubledRequest;
    if (isTroubled && trouble.status !== undefined) return trouble;
    const prompt = readPrompt(url, body);
    const use = cache.read(prompt.cached);
    requests.push({ turn, prompt, ...use });
    const usage = { inputTokens: use.tokens, cachedInputTokens: use.cachedTokens, outputTokens: 20 };
    const isStream = (JSON.parse(body.toString('utf8')) as { stream?: boolean }).stream === true;
    const answer = renderTurn(prompt.format, { ...chooseTurn(prompt, tasks), ...usage }, isStream);
    return isTroubled ? { ...answer, ...trouble } : answer;
  });
  return { provider, requests, startTurn: (next: number) => (turn = next) };
}

export interface SessionOptions {
  readonly commands: string;
  readonly agent: Agent;
  /** The files of the workspace. */
  readonly files: Readonly<Record<string, string>>;
  /** The tasks of the session, for a workspace in the given folder. */
  readonly tasks: (folder: string) => readonly Task[];
  /** The files that the tasks write. */
  readonly written: readonly string[];
  /** The provider's trouble at the third request of the session, such as an error or a cut stream. */
  readonly trouble?: ReplayControls;
  /** Connects the provider to the gateway. Without this function, the agent calls the provider. */
  readonly connect?: (providerUrl: string) => Promise<Endpoint>;
}

/** Runs one turn for each task. Each turn after the first resumes the session in a new process. */
export async function runSession(options: SessionOptions): Promise<Session> {
  const { agent, connect, commands, written } = options;
  const workspace = createWorkspace(options.files);
  const tasks = options.tasks(workspace.folder);
  const { provider, requests, startTurn } = await openProvider(tasks, options.trouble);
  try {
    const endpoint = (await connect?.(provider.url)) ?? { base: provider.url, key: 'sk-direct' };
    const env = configure(agent, workspace, endpoint);
    const turns = [];
    for (const [turn, { prompt }] of tasks.entries()) {
      startTurn(turn);
      const args = turn === 0 ? agent.first(prompt) : agent.resume(prompt);
      turns.push(await runAgent(join(commands, agent.name), args, workspace, env));
    }
    return {
      exitCodes: turns.map(({ exitCode }) => exitCode),
      outputs: turns.map(({ output }) => output),
      files: Object.fromEntries(written.map((name) => [name, readOr(join(workspace.folder, name), '')])),
      requests,
      cost: requests.reduce((sum, request) => sum + priceOf(agent, request), 0),
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

function priceOf({ format }: Agent, { tokens, cachedTokens }: SessionRequest): number {
  const { read, write } = prices[format];
  return cachedTokens * read + (tokens - cachedTokens) * write;
}
