/** Strands is a framework without a command, so a small program runs the code of the Strands guide. */
import type { Agent } from '../../tools/agent/agents.ts';

/** Adds tools to the guide's code, reads the prompt from an argument, and stores the conversation in a file. */
const complete = (code: string): string => `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { McpClient } from '@strands-agents/sdk';
import { bash } from '@strands-agents/sdk/vended-tools/bash';
import { fileEditor } from '@strands-agents/sdk/vended-tools/file-editor';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
const servers = [];
const clients = servers.map(
  (server) =>
    new McpClient({
      applicationName: server.name,
      transport: new StdioClientTransport({ ...server, env: { ...process.env, ...server.env } }),
    }),
);
// An agent that receives several clients adds their tools in a random order.
const tools = [bash, fileEditor];
for (const client of clients) {
  await client.connect();
  tools.push(...(await client.listTools()));
}
const session = new URL('session.json', import.meta.url);
const messages = existsSync(session) ? JSON.parse(readFileSync(session, 'utf8')) : [];
${code
  .replace('new Agent({ model, tools })', 'new Agent({ model, tools, messages })')
  .replace("'Which issues are open?'", 'process.argv[2]')}
writeFileSync(session, JSON.stringify(agent.messages));
process.exit(0);
`;

/** The guide's code uses variables for the address and the key. */
const inQuotes = (code: string): string =>
  code
    .replace('apiKey: KEY', "apiKey: 'KEY'")
    .replace('`${BASE}/v1`', "'BASE/v1'")
    .replace('baseURL: BASE ', "baseURL: 'BASE' ");
const agentOfGuide = `
import { Agent } from '@strands-agents/sdk';
const agent = new Agent({ model, tools });
await agent.invoke('Which issues are open?');
`;

export const strands: Agent = {
  name: 'strands',
  command: process.execPath,
  file: 'strands.mjs',
  language: 'ts',
  formats: {
    'chat-completions': {
      model: 'openai/gpt-4.1',
      args: ['HOME/strands.mjs'],
      adapt: (code) => complete(inQuotes(code)),
    },
    messages: {
      model: 'anthropic/claude-sonnet-4-5',
      args: ['HOME/strands.mjs'],
      block: 1,
      adapt: (code) => complete(inQuotes(code) + agentOfGuide),
    },
  },
  first: (prompt) => [prompt],
  resume: (prompt) => [prompt],
  addServers: (servers, code) => [
    'strands.mjs',
    code.replace('const servers = [];', `const servers = ${JSON.stringify(servers)};`),
  ],
};
