/**
 * Tests that an agent that survives a provider failure without the gateway also survives the failure through
 * the gateway.
 */
import type { ReplayControls } from '@gateway/testing';
import { agents } from './agents.fixture.ts';
import { runSession, type Session } from './sessions.fixture.ts';
import { connect, files, finished, tasks } from './tasks.fixture.ts';
import { installAgents } from './workspace.fixture.ts';

let commands: string;
beforeAll(async () => {
  commands = await installAgents();
}, 300_000);

const failure = (status: number, type: string): ReplayControls => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: { type: 'error', error: { type, code: type, message: 'Try again.' } },
});
const troubles: readonly [string, ReplayControls][] = [
  ['a 429', { ...failure(429, 'rate_limit_error'), retryAfterMs: 1000 }],
  ['a 500', failure(500, 'api_error')],
  ['a 529', failure(529, 'overloaded_error')],
  ['a cut stream', { chunkBytes: 64, resetAtByte: 192 }],
];
const isFinished = ({ exitCodes, files: written }: Session): boolean =>
  JSON.stringify([exitCodes, written]) === JSON.stringify([finished.exitCodes, finished.files]);

describe.each(agents)('$name ($format)', (agent) => {
  test.each(troubles)(
    'the agent recovers from %s during a session if the agent recovers with a direct connection',
    async (name, trouble) => {
      const options = { commands, agent, tasks, files, written: Object.keys(finished.files), trouble };
      const [direct, served] = await Promise.all([runSession(options), runSession({ ...options, connect })]);
      process.stdout.write(
        `${agent.name}, ${name}: directly ${isFinished(direct)}, served ${isFinished(served)}\n`,
      );
      expect(isFinished(served) || !isFinished(direct)).toBe(true);
    },
  );
});
