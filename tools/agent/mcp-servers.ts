/** Renders MCP servers in the configuration formats of the agents. */
export interface McpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The maximum start time of an MCP server in seconds. Some agents ignore servers that take longer. */
export const startSeconds = 60;

const inList = (texts: readonly string[]): string => JSON.stringify(texts);
const inPairs = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join(', ');

/** Renders an MCP server as a table of Codex's configuration. With `required`, Codex waits for the server's tools. */
export function inCodexTable({ name, command, args, env }: McpServer): string {
  return [
    `[mcp_servers.${name}]`,
    `command = ${JSON.stringify(command)}`,
    `args = ${inList(args)}`,
    `env = { ${inPairs(env)} }`,
    'required = true',
    `startup_timeout_sec = ${startSeconds}`,
    '',
  ].join('\n');
}

/** Renders an MCP server as an element of Continue's `mcpServers` list. JSON strings and lists are valid YAML. */
export function inYaml({ name, command, args, env }: McpServer): string {
  const pairs = Object.entries(env).map(([key, value]) => `      ${key}: ${JSON.stringify(value)}\n`);
  return [
    `  - name: ${name}\n`,
    `    command: ${JSON.stringify(command)}\n`,
    `    args: ${inList(args)}\n    connectionTimeout: ${startSeconds * 1000}\n`,
    ...(pairs.length === 0 ? [] : ['    env:\n', ...pairs]),
  ].join('');
}

/** Renders Qwen Code's object `mcpServers`. Qwen Code calls the tools of trusted servers without asking the user. */
export function inTrustedJson(servers: readonly McpServer[]): string {
  const mcpServers = Object.fromEntries(
    servers.map(({ name, ...server }) => [name, { ...server, trust: true }]),
  );
  return JSON.stringify({ mcpServers }, null, 2);
}
