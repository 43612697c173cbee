/** The tasks that the agents must complete, and a gateway account for one session. */
import { sharedStack } from '@gateway/testing';
import { connectProvider, createTestAccount } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import type { Task } from './capable-model.fixture.ts';
import type { Endpoint } from './workspace.fixture.ts';

/** Creates an account with planning enabled for all formats, and connects the session's provider. */
export async function connect(providerUrl: string): Promise<Endpoint> {
  const { baseUrl } = sharedStack();
  const { apiKey: key } = await createTestAccount(sharedStack());
  for (const provider of ['openai', 'anthropic'])
    await connectProvider(baseUrl, key, { provider, api_key: 'sk-upstream', base_url: `${providerUrl}/v1` });
  const path = '/v1/account/routing/preferences';
  const answer = await send(baseUrl, { method: 'PUT', path, key, body: { responses: { plan: true } } });
  expect(answer.status).toBe(200);
  return { base: baseUrl, key };
}

/** The files in the agent's workspace at the start of the session. */
export const files = { 'notes.txt': 'The code word is kestrel.\n' };
const codeWord = (seen: string): string => /code word is (\w+)/.exec(seen)?.[1] ?? 'lost';
export const tasks = (folder: string): readonly Task[] => [
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
      {
        purpose: 'write',
        path: `${folder}/second.txt`,
        content: (seen) => /kestrel/.exec(seen)?.[0].repeat(2) ?? 'lost',
      },
    ],
  },
];
/** The expected exit codes and files after all tasks are complete. */
export const finished = {
  exitCodes: [0, 0],
  files: { 'answer.txt': 'kestrel', 'second.txt': 'kestrelkestrel' },
};
