/** The tasks that the agents must complete, and a gateway account for one session. */
import { sharedStack } from '@gateway/testing';
import { connectProvider, createTestAccount } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import type { Task } from './capable-model.fixture.ts';
import type { Endpoint } from '../../tools/agent/configure.ts';
import { memoryFile } from './workspace.fixture.ts';

/**
 * Creates an account with planning enabled for all formats, and connects the session's provider.
 * @param preferences further routing preferences of the account
 */
export async function connect(providerUrl: string, preferences: object = {}): Promise<Endpoint> {
  const { baseUrl } = sharedStack();
  const { apiKey: key } = await createTestAccount(sharedStack());
  for (const provider of ['openai', 'anthropic'])
    await connectProvider(baseUrl, key, { provider, api_key: 'sk-upstream', base_url: `${providerUrl}/v1` });
  const path = '/v1/account/routing/preferences';
  const body = { responses: { plan: true }, ...preferences };
  const answer = await send(baseUrl, { method: 'PUT', path, key, body });
  expect(answer.status).toBe(200);
  return { base: baseUrl, key };
}

/** A conversation of two user turns, and the outcome after the last turn. */
export interface Assignment {
  /** The files that are in the agent's workspace when the session starts. */
  readonly files: Readonly<Record<string, string>>;
  /** The tasks for a workspace in the given folder, one per turn. */
  readonly tasks: (folder: string) => readonly Task[];
  /** The expected contents of the files that the tasks write, as texts or Jest matchers. */
  readonly written: Readonly<Record<string, string>>;
}

const files = { 'notes.txt': 'The code word is kestrel.\n' };
const codeWord = (seen: string): string => /code word is (\w+)/.exec(seen)?.[1] ?? 'lost';
const twice = (seen: string): string => /kestrel/.exec(seen)?.[0].repeat(2) ?? 'lost';

/** Tasks that an agent completes with its own tools. */
export const plainAssignment: Assignment = {
  files,
  tasks: (folder) => [
    {
      prompt: `Read ${folder}/notes.txt, write its code word to answer.txt, and print answer.txt in a shell.`,
      steps: [
        { purpose: 'read', path: `${folder}/notes.txt` },
        { purpose: 'write', path: `${folder}/answer.txt`, content: codeWord },
        { purpose: 'shell', command: 'cat answer.txt' },
      ],
    },
    {
      prompt: `Read ${folder}/answer.txt again, and write it twice to second.txt.`,
      steps: [
        { purpose: 'read', path: `${folder}/answer.txt` },
        { purpose: 'write', path: `${folder}/second.txt`, content: twice },
      ],
    },
  ],
  written: { 'answer.txt': 'kestrel', 'second.txt': 'kestrelkestrel' },
};

/** The notes lead to a tool that neither user turn suggests. */
const serversFiles = {
  'notes.txt': 'The code word is kestrel.\nFirst write to places.txt what limits your access to files.\n',
};
const places = (seen: string): string => /Allowed directories/.exec(seen)?.[0] ?? 'lost';
const entity = { name: 'kestrel', entityType: 'code word', observations: ['It is in notes.txt.'] };

/**
 * An assignment that also needs two tools of the MCP server `memory` and one tool of the MCP server `files`.
 * The gateway cannot predict the need for the `files` tool.
 */
export const serversAssignment: Assignment = {
  files: serversFiles,
  tasks: (folder) => [
    {
      prompt: `Read ${folder}/notes.txt, write its code word to answer.txt, and save it as an entity in the knowledge graph.`,
      steps: [
        { purpose: 'read', path: `${folder}/notes.txt` },
        { purpose: 'other', tool: 'list_allowed_directories', arguments: {} },
        { purpose: 'write', path: `${folder}/places.txt`, content: places },
        { purpose: 'write', path: `${folder}/answer.txt`, content: codeWord },
        { purpose: 'other', tool: 'create_entities', arguments: { entities: [entity] } },
      ],
    },
    {
      prompt: `Find the code word in the knowledge graph, write it twice to second.txt, and print the file.`,
      steps: [
        { purpose: 'other', tool: 'search_nodes', arguments: { query: 'kestrel' } },
        { purpose: 'write', path: `${folder}/second.txt`, content: twice },
        { purpose: 'shell', command: 'cat second.txt' },
      ],
    },
  ],
  written: {
    ...plainAssignment.written,
    'places.txt': 'Allowed directories',
    [memoryFile]: expect.stringContaining('"name":"kestrel"') as string,
  },
};
