/** The agents under test, each with the configuration from the agent's guide and the commands of a session. */
import type { AgentFormat } from './prompts.fixture.ts';

export interface Agent {
  readonly name: string;
  /** The guide in docs/guides/agents that contains the configuration. */
  readonly guide: string;
  readonly format: AgentFormat;
  readonly model: string;
  /** The path of the agent's configuration file, relative to the agent's home folder. */
  readonly file?: string;
  /**
   * The language of the configuration in the guide. The test uses the guide's first code block in the language.
   */
  readonly language: 'json' | 'toml' | 'yaml' | 'sh';
  /** Changes the guide's example to the wire format of the session, as the guide describes. */
  readonly adapt?: (configuration: string) => string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command line of the first turn, and of a turn that resumes the session. */
  readonly first: (prompt: string) => readonly string[];
  readonly resume: (prompt: string) => readonly string[];
}

const codexOptions = ['--dangerously-bypass-approvals-and-sandbox'];
const qwenOptions = ['--auth-type', 'openai', '--yolo'];
const piOptions = ['--provider', 'gateway', '--model', 'anthropic/claude-sonnet-4-5'];

/** The agents under test, which use the formats chat-completions, messages and responses. */
export const agents: readonly Agent[] = [
  {
    name: 'codex',
    guide: 'codex.md',
    format: 'responses',
    model: 'openai/gpt-5.4',
    file: '.codex/config.toml',
    language: 'toml',
    first: (prompt) => ['exec', ...codexOptions, prompt],
    resume: (prompt) => ['exec', ...codexOptions, 'resume', '--last', prompt],
  },
  {
    name: 'cn',
    guide: 'continue.md',
    format: 'chat-completions',
    model: 'openai/gpt-4.1',
    file: '.continue/config.yaml',
    language: 'yaml',
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    first: (prompt) => ['--config', 'HOME/.continue/config.yaml', '--auto', '-p', prompt],
    resume: (prompt) => ['--config', 'HOME/.continue/config.yaml', '--auto', '--resume', '-p', prompt],
  },
  {
    name: 'pi',
    guide: 'pi.md',
    format: 'messages',
    model: 'anthropic/claude-sonnet-4-5',
    file: '.pi/agent/models.json',
    language: 'json',
    adapt: (configuration) =>
      configuration
        .replace('openai-completions', 'anthropic-messages')
        .replace('/v1', '')
        .replace('openai/gpt-4.1', 'anthropic/claude-sonnet-4-5'),
    env: { PI_OFFLINE: '1' },
    first: (prompt) => [...piOptions, '-p', prompt],
    resume: (prompt) => [...piOptions, '--continue', '-p', prompt],
  },
  {
    name: 'qwen',
    guide: 'qwen-code.md',
    format: 'chat-completions',
    model: 'openai/gpt-4.1',
    language: 'sh',
    first: (prompt) => [...qwenOptions, '-p', prompt],
    resume: (prompt) => [...qwenOptions, '--continue', '-p', prompt],
  },
];
