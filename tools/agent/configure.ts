/** Writes the configuration of an agent's guide into a home folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../bootstrap/stack/root.ts';
import type { Agent, AgentFormat, AgentFormatOptions } from './agents.ts';
import type { McpServer } from './mcp-servers.ts';

/** The gateway address and API key that replace `BASE` and `KEY` in the agents' guides. */
export interface Endpoint {
  readonly base: string;
  readonly key: string;
}

export function writeInto(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** @throws Error if the agent does not use the format. */
function optionsOf({ name, formats }: Agent, format: AgentFormat): AgentFormatOptions {
  const options = formats[format];
  if (options === undefined) throw new Error(`${name} does not use the format ${format}.`);
  return options;
}

/** Returns the agent with one wire format, in which a model replaces the example model of the guide. */
export function withModel(agent: Agent, format: AgentFormat, model: string): Agent {
  const options = optionsOf(agent, format);
  const { adapt = (text: string) => text, args = [] } = options;
  const replace = (text: string): string => text.replaceAll(options.model, model);
  const replaced = {
    ...options,
    model,
    args: args.map(replace),
    adapt: (text: string) => replace(adapt(text)),
  };
  return { ...agent, formats: { [format]: replaced } };
}

/** Returns the configuration for a wire format from an agent's guide. */
export function readGuide(agent: Agent, format: AgentFormat): string {
  const { adapt = (text: string) => text, block = 0 } = optionsOf(agent, format);
  const page = readFileSync(join(root, `docs/guides/agents/${agent.name}.md`), 'utf8');
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${agent.language}\\n(.*?)^\`\`\`$`, 'gms'))];
  const found = blocks[block]?.[1];
  if (found === undefined) throw new Error(`${agent.name}.md has too few blocks of ${agent.language}.`);
  return adapt(found);
}

interface Setting {
  readonly format: AgentFormat;
  readonly home: string;
  readonly servers?: readonly McpServer[];
}

/** Writes the guide's configuration into the home folder. Returns the agent's environment variables. */
export function configure(agent: Agent, { base, key }: Endpoint, setting: Setting): Record<string, string> {
  const { format, home, servers = [] } = setting;
  const configuration = readGuide(agent, format)
    .replaceAll(/\bBASE\b/g, base)
    .replaceAll(/\bKEY\b/g, key);
  if (agent.file !== undefined) writeInto(join(home, agent.file), configuration);
  if (servers.length > 0 && agent.addServers !== undefined) {
    const [file, text] = agent.addServers(servers, configuration);
    writeInto(join(home, file), text);
  }
  const exported = [...configuration.matchAll(/^export (\w+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  );
  return { HOME: home, GATEWAY_API_KEY: key, ...Object.fromEntries(exported), ...agent.env };
}

/** Returns the arguments that connect the agent to the gateway through the given wire format. */
export function connectingArgs(agent: Agent, { format, home }: Setting): string[] {
  return (optionsOf(agent, format).args ?? []).map((arg) => arg.replace(/^HOME\//, `${home}/`));
}
