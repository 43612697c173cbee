/**
 * If an agent survives a provider failure without the gateway, the agent must also survive the failure with
 * the gateway.
 */
import type { ReplayControls } from '@gateway/testing';
import type { AgentFormat } from '../../tools/agent/agents.ts';
import { agentOf, installSubjects } from './compare-sessions.fixture.ts';
import { runSession, type Session } from './sessions.fixture.ts';
import { connect, plainAssignment } from './tasks.fixture.ts';

const subjects: { readonly name: string; readonly format: AgentFormat }[] = [
  { name: 'codex', format: 'responses' },
  { name: 'continue', format: 'chat-completions' },
  { name: 'continue', format: 'messages' },
  { name: 'opencode', format: 'chat-completions' },
  { name: 'opencode', format: 'messages' },
  { name: 'opencode', format: 'responses' },
  { name: 'pi', format: 'chat-completions' },
  { name: 'pi', format: 'messages' },
  { name: 'pi', format: 'responses' },
  { name: 'qwen-code', format: 'chat-completions' },
  { name: 'qwen-code', format: 'messages' },
  { name: 'cline', format: 'chat-completions' },
  { name: 'cline', format: 'messages' },
  { name: 'strands', format: 'chat-completions' },
  { name: 'strands', format: 'messages' },
];
beforeAll(() => installSubjects(subjects), 600_000);

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
const isFinished = ({ exitCodes, files }: Session): boolean =>
  exitCodes.every((code) => code === 0) &&
  Object.entries(plainAssignment.written).every(([name, text]) => files[name] === text);

describe.each(subjects)('$name ($format)', ({ name: agentName, format }) => {
  test.each(troubles)(
    'the agent recovers from %s during a session if the agent recovers with a direct connection',
    async (name, trouble) => {
      const options = { agent: agentOf(agentName), format, assignment: plainAssignment, trouble };
      const [direct, served] = await Promise.all([runSession(options), runSession({ ...options, connect })]);
      process.stdout.write(
        `${agentName}, ${name}: directly ${isFinished(direct)}, served ${isFinished(served)}\n`,
      );
      expect(isFinished(served) || !isFinished(direct)).toBe(true);
    },
  );
});
