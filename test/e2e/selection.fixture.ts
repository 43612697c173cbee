import type { ReplayProvider } from '@gateway/testing';
import { toMessagesTool } from './anthropic.fixture.ts';
import { githubTools } from './github-tools.fixture.ts';

/** A user message that only one specific tool can answer. */
export const clear = 'Create a branch called login-fix in acme/widgets';
export const wanted = 'create_branch';
export const names = githubTools.map((tool) => tool.function.name);
export const messagesTools = githubTools.map(toMessagesTool);

interface SentBody {
  readonly tools: readonly { name?: string; function?: { name: string } }[];
  readonly toolConfig?: { readonly tools: readonly { toolSpec: { name: string } }[] };
}

/** Returns the names of the client's tools in the latest upstream request. */
export function namesReceivedBy(provider: ReplayProvider): string[] {
  const { tools, toolConfig } = JSON.parse(provider.requests.at(-1)!.body.toString()) as SentBody;
  const sent = toolConfig
    ? toolConfig.tools.map(({ toolSpec }) => toolSpec.name)
    : tools.map((tool) => tool.function?.name ?? tool.name ?? '');
  return sent.filter((name) => names.includes(name));
}
