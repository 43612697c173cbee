// `npm run agent -- <name> [arguments]` starts an agent from the npm registry with the running gateway.
// The agent gets a new API key, which the command revokes at the end of the session.
// GATEWAY_URL and GATEWAY_API_KEY select a different gateway.
// AGENT_FORMAT and AGENT_MODEL select the wire format and the model. AGENT_HOME is the agent's home folder.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { openDataDir } from '../bootstrap/stack/data-dir.ts';
import { readDevInfo } from '../bootstrap/stack/dev-file.ts';
import { root } from '../bootstrap/stack/root.ts';
import { agentNamed, type Agent, type AgentFormat } from './agents.ts';
import { configure, connectingArgs, withModel, type Endpoint } from './configure.ts';
import { installPackage } from './install-package.ts';
import { createKey, describeUsage, readUsage, revokeKey } from './session-key.ts';

/** @throws Error if no gateway is named and no stack of this checkout is running. */
function findGateway(): Endpoint {
  const { GATEWAY_URL: base, GATEWAY_API_KEY: key } = process.env;
  if (base && key) return { base: base.replace(/\/$/, ''), key };
  const dev = readDevInfo(openDataDir(join(root, '.data')));
  if (dev?.base_url && dev.api_key) return { base: dev.base_url, key: dev.api_key };
  throw new Error('No gateway runs here. Start it with `npm start`, or set GATEWAY_URL and GATEWAY_API_KEY.');
}

/** @throws Error if the agent does not use the format in AGENT_FORMAT. */
function chooseFormat(agent: Agent): AgentFormat {
  const formats = Object.keys(agent.formats) as AgentFormat[];
  const wanted = process.env['AGENT_FORMAT'];
  const format = wanted ? formats.find((each) => each === wanted) : formats[0];
  if (format === undefined) throw new Error(`${agent.name} uses the formats ${formats.join(', ')}.`);
  return format;
}

async function runAgent(agent: Agent, args: readonly string[], endpoint: Endpoint): Promise<number> {
  const format = chooseFormat(agent);
  const model = process.env['AGENT_MODEL'];
  const chosen = model ? withModel(agent, format, model) : agent;
  // The home folder keeps the agent's sessions, so that a later run can resume one.
  const home = process.env['AGENT_HOME'] ?? join(root, '.data/agents/home', agent.name);
  mkdirSync(home, { recursive: true });
  const command = join(await installPackage(agent.name), 'node_modules/.bin', agent.command);
  const env = configure(chosen, endpoint, { format, home });
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(command, [...connectingArgs(chosen, { format, home }), ...args], {
    cwd: process.env['INIT_CWD'] ?? process.cwd(),
    env: { ...process.env, PATH: path, ...env },
    stdio: 'inherit',
  });
  // A terminal sends Ctrl+C to this process and to the agent, and only the agent decides whether to exit.
  process.on('SIGINT', () => undefined);
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => settle(exitCode ?? 1));
  });
}

try {
  const [name, ...args] = process.argv.slice(2);
  const agent = agentNamed(name);
  const gateway = findGateway();
  const since = new Date();
  const key = await createKey(gateway, `npm run agent -- ${agent.name}`);
  try {
    process.exitCode = await runAgent(agent, args, { base: gateway.base, key: key.key });
    console.error(describeUsage(await readUsage(gateway, key.id, since)));
  } finally {
    await revokeKey(gateway, key.id);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
