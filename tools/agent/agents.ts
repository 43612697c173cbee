/** The agents that this repository starts, each configured as in the agent's guide. */
import { inCodexTable, inTrustedJson, inYaml, startSeconds, type McpServer } from './mcp-servers.ts';

export type AgentFormat = 'chat-completions' | 'messages' | 'responses';

/** The settings for running an agent with one wire format. */
export interface AgentFormatOptions {
  readonly model: string;
  /** Changes the guide's example to this wire format, in the way that the guide describes. */
  readonly adapt?: (configuration: string) => string;
  /** Command-line arguments that every run of the agent needs. */
  readonly args?: readonly string[];
  /** The number of the guide's code block that contains the configuration, by default 0 (the first block). */
  readonly block?: number;
}

export interface Agent {
  /** The agent's name, which is also the name of its folder in `packages` and of its guide in docs/guides/agents. */
  readonly name: string;
  /** The agent's command in `node_modules/.bin`. */
  readonly command: string;
  /** The path of the agent's configuration file, relative to the agent's home folder. */
  readonly file?: string;
  /** The language of the guide's configuration. */
  readonly language: 'json' | 'toml' | 'yaml' | 'sh' | 'ts';
  readonly env?: Readonly<Record<string, string>>;
  /** The default format comes first. In the arguments, `HOME/` stands for the agent's home folder. */
  readonly formats: Readonly<Partial<Record<AgentFormat, AgentFormatOptions>>>;
  /** The arguments of an unattended turn. */
  readonly first: (prompt: string) => readonly string[];
  /**
   * The arguments of a turn that resumes an earlier session. Absent if the agent cannot resume a session
   * without a terminal.
   */
  readonly resume?: (prompt: string) => readonly string[];
  /**
   * Adds MCP servers to the agent's configuration. Returns the path of a file in the home folder, and the
   * file's content. `addServers` is undefined for agents without MCP servers.
   */
  readonly addServers?: (
    servers: readonly McpServer[],
    configuration: string,
  ) => [file: string, text: string];
}

const codexOptions = ['--dangerously-bypass-approvals-and-sandbox'];
const gpt = 'openai/gpt-4.1';
const claude = 'anthropic/claude-sonnet-4-5';
const gptOfResponses = 'openai/gpt-5.4';

const opencodeWith = (package_: string, model: string) => (configuration: string) =>
  configuration.replace('@ai-sdk/openai-compatible', package_).replaceAll(gpt, model);

export const agents: readonly Agent[] = [
  {
    name: 'codex',
    command: 'codex',
    file: '.codex/config.toml',
    language: 'toml',
    formats: { responses: { model: gptOfResponses } },
    first: (prompt) => ['exec', ...codexOptions, prompt],
    resume: (prompt) => ['exec', ...codexOptions, 'resume', '--last', prompt],
    addServers: (servers, configuration) => [
      '.codex/config.toml',
      [configuration, ...servers.map(inCodexTable)].join('\n'),
    ],
  },
  {
    name: 'continue',
    command: 'cn',
    file: '.continue/config.yaml',
    language: 'yaml',
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    formats: {
      'chat-completions': { model: gpt, args: ['--config', 'HOME/.continue/config.yaml'] },
      messages: {
        model: claude,
        args: ['--config', 'HOME/.continue/config.yaml'],
        block: 1,
        adapt: (model) =>
          `name: Agent gateway\nversion: 1.0.0\nschema: v1\nmodels:\n${model.replaceAll(/^/gm, '  ').trimEnd()}\n`,
      },
    },
    first: (prompt) => ['--auto', '-p', prompt],
    resume: (prompt) => ['--auto', '--resume', '-p', prompt],
    addServers: (servers, configuration) => [
      '.continue/config.yaml',
      `${configuration}mcpServers:\n${servers.map(inYaml).join('')}`,
    ],
  },
  {
    name: 'pi',
    command: 'pi',
    file: '.pi/agent/models.json',
    language: 'json',
    env: { PI_OFFLINE: '1' },
    formats: {
      'chat-completions': { model: gpt, args: ['--provider', 'gateway', '--model', gpt] },
      messages: {
        model: claude,
        args: ['--provider', 'gateway', '--model', claude],
        adapt: (configuration) =>
          configuration
            .replace('openai-completions', 'anthropic-messages')
            .replace('/v1', '')
            .replace(gpt, claude),
      },
      responses: {
        model: gptOfResponses,
        args: ['--provider', 'gateway', '--model', gptOfResponses],
        adapt: (configuration) =>
          configuration.replace('openai-completions', 'openai-responses').replace(gpt, gptOfResponses),
      },
    },
    first: (prompt) => ['-p', prompt],
    resume: (prompt) => ['--continue', '-p', prompt],
  },
  {
    name: 'qwen-code',
    command: 'qwen',
    language: 'sh',
    formats: {
      'chat-completions': { model: gpt, args: ['--auth-type', 'openai'] },
      messages: { model: claude, args: ['--auth-type', 'anthropic'], block: 1 },
    },
    first: (prompt) => ['--yolo', '-p', prompt],
    resume: (prompt) => ['--yolo', '--continue', '-p', prompt],
    addServers: (servers) => ['.qwen/settings.json', inTrustedJson(servers)],
  },
  {
    name: 'opencode',
    command: 'opencode',
    file: '.config/opencode/opencode.json',
    language: 'json',
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    formats: {
      'chat-completions': { model: gpt },
      messages: { model: claude, adapt: opencodeWith('@ai-sdk/anthropic', claude) },
      responses: { model: gptOfResponses, adapt: opencodeWith('@ai-sdk/openai', gptOfResponses) },
    },
    first: (prompt) => ['run', prompt],
    resume: (prompt) => ['run', '--continue', prompt],
    addServers: (servers, configuration) => {
      const mcp = Object.fromEntries(
        servers.map(({ name, command, args, env }) => [
          name,
          {
            type: 'local',
            command: [command, ...args],
            environment: env,
            enabled: true,
            timeout: startSeconds * 1000,
          },
        ]),
      );
      const settings = { ...(JSON.parse(configuration) as object), mcp };
      return ['.config/opencode/opencode.json', JSON.stringify(settings, null, 2)];
    },
  },
  {
    name: 'cline',
    command: 'cline',
    file: '.cline/data/settings/providers.json',
    language: 'json',
    formats: {
      'chat-completions': { model: gpt, args: ['--provider', 'openai-compatible', '--model', gpt] },
      messages: {
        model: claude,
        args: ['--provider', 'anthropic', '--model', claude],
        adapt: (configuration) =>
          configuration.replaceAll('openai-compatible', 'anthropic').replace(gpt, claude),
      },
    },
    first: (prompt) => [prompt],
    addServers: (servers) => {
      const mcpServers = Object.fromEntries(
        servers.map(({ name, ...server }) => [
          name,
          { timeout: startSeconds, transport: { type: 'stdio', ...server } },
        ]),
      );
      return ['.cline/data/settings/cline_mcp_settings.json', JSON.stringify({ mcpServers }, null, 2)];
    },
  },
];

/** @throws Error if no agent has the name. */
export function agentNamed(name: string | undefined): Agent {
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) throw new Error(`Name an agent: ${agents.map((each) => each.name).join(', ')}.`);
  return agent;
}
