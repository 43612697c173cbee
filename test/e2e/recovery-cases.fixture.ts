import type { PlannedFormat } from '@gateway/interchange';
import { sharedStack, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import {
  connectEachFormat,
  connectProvider,
  createTestAccount,
  createTestKey,
  waitForRow,
} from './account.fixture.ts';
import { openAgent, type Agent, type AgentAnswer } from './agent-clients.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { scriptModel, type ModelTurn } from './scripted-model.fixture.ts';

const { baseUrl } = sharedStack();

export const everyTool = githubTools.map((tool) => tool.function.name);

export const recoveryToolName = 'svc_more_tools';
/** The name of a tool that does not match the question, so that the plan prunes the tool. */
export const wanted = 'create_gist';
export const given = { description: 'a note', filename: 'note.md', content: 'hello', public: false };
export const question = 'Please star the repository facebook/react';
/** A call to a tool that matches the question, so that the plan forwards the tool. */
export const own = {
  id: 'own1',
  name: 'star_repository',
  arguments: { owner: 'facebook', repo: 'react' },
};

/** The call to the pruned tool as the client sees it. */
export const shownCall = { id: 'shown1', name: wanted, arguments: given };

/** A call to the recovery tool that requests tool definitions. */
export const describeTools = (id: string, ...names: string[]) => ({
  id,
  name: recoveryToolName,
  arguments: { action: 'describe', names },
});

/** A call to a pruned tool through the recovery tool. */
export const throughRecovery = (id: string, name = wanted, args: unknown = given) => ({
  id,
  name: recoveryToolName,
  arguments: { action: 'call', name, arguments: args },
});

/** A client format, and a provider of the same format. */
export interface RecoveryCase {
  readonly format: PlannedFormat;
  readonly model: string;
  readonly cached?: boolean;
}

/**
 * The three client formats. Each provider caches the prompt prefix, so the recovery mode is always
 * `in_place`.
 */
export const eachFormat: readonly (readonly [string, RecoveryCase])[] = [
  ['chat-completions', { format: 'chat-completions', model: 'openai/gpt-4o-mini' }],
  ['messages', { format: 'messages', model: 'anthropic/claude-haiku-4-5', cached: true }],
  [
    'converse',
    { format: 'converse', model: 'hosted/anthropic.claude-haiku-4-5-20251001-v1:0', cached: true },
  ],
];

export const deliveries = [
  ['plain', false],
  ['streamed', true],
] as const;

export interface RecoveryBench {
  readonly provider: ReplayProvider;
  readonly key: string;
  open(given: RecoveryCase): Agent;
  /** Returns the parsed request bodies that the provider received. */
  sent(): SentBody[];
  /** Sets the provider's responses, in order. */
  script(...turns: (ModelTurn | ReplayControls)[]): void;
  /** Waits for the request's row in the request log. */
  rowOf(answer: AgentAnswer): ReturnType<typeof waitForRow>;
}

export interface SentBody {
  readonly raw: string;
  /** Names of the tools in the request, in order. */
  readonly tools: readonly string[];
  /** The request's tool definitions as JSON text. */
  readonly definitions: string;
  readonly messages: readonly unknown[];
}

/** Starts a provider, and connects the provider to one account in every client format. */
export async function openBench(): Promise<RecoveryBench> {
  const provider = await startProvider();
  const { apiKey } = await createTestAccount(sharedStack());
  const { key } = await createTestKey(baseUrl, apiKey, { name: 'fast', rate_limit_rpm: 10_000 });
  await connectEachFormat(baseUrl, key, provider.url);
  for (const name of ['deepseek', 'openrouter'])
    await connectProvider(baseUrl, key, {
      provider: name,
      api_key: 'upstream-key',
      base_url: `${provider.url}/${name}/v1`,
    });
  return {
    provider,
    key,
    open: ({ format, model }) => openAgent(format, { baseUrl, key, model }),
    sent: () => provider.requests.map(({ body }) => readSent(body.toString('utf8'))),
    script: (...turns) => scriptModel(provider, turns),
    rowOf: (answer) => waitForRow(baseUrl, key, answer.header('x-request-id') ?? ''),
  };
}

interface SentTool {
  readonly name?: string;
  readonly function?: { readonly name: string };
  readonly toolSpec?: { readonly name: string };
}

function readSent(raw: string): SentBody {
  const body = JSON.parse(raw) as {
    messages: unknown[];
    tools?: SentTool[];
    toolConfig?: { tools: SentTool[] };
  };
  const tools = body.tools ?? body.toolConfig?.tools ?? [];
  return {
    raw,
    tools: tools.map((tool) => tool.name ?? tool.function?.name ?? tool.toolSpec?.name ?? ''),
    definitions: JSON.stringify(tools),
    messages: body.messages,
  };
}
