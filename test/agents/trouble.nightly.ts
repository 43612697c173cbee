/**
 * If an agent survives a provider failure without the gateway, the agent must also survive the failure with
 * the gateway.
 */
import { sharedStack, type ReplayControls } from '@gateway/testing';
import type { AgentFormat } from '../../tools/agent/agents.ts';
import type { Endpoint } from '../../tools/agent/configure.ts';
import { edgeUrl } from '../e2e/edges.fixture.ts';
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
/** In all three formats, the response's first event ends between these two bytes of the body. */
const [inFirstEvent, afterFirstEvent] = [192, 600];
interface Trouble {
  readonly name: string;
  readonly controls: ReplayControls;
  /**
   * Whether the gateway retries failed provider calls, as with default settings. Otherwise, each failure reaches the
   * agent.
   */
  readonly isRetried?: true;
}
const troubles: readonly Trouble[] = [
  { name: 'a 429', controls: { ...failure(429, 'rate_limit_error'), retryAfterMs: 1000 } },
  { name: 'a 500', controls: failure(500, 'api_error') },
  { name: 'a 529', controls: failure(529, 'overloaded_error') },
  // The gateway has no event to send yet. Without retries, the agent would receive the gateway's error 502.
  {
    name: 'a stream cut in its first event',
    controls: { chunkBytes: 64, resetAtByte: inFirstEvent },
    isRetried: true,
  },
  { name: 'a stream cut after its first event', controls: { chunkBytes: 64, resetAtByte: afterFirstEvent } },
];

async function connectRetrying(providerUrl: string): Promise<Endpoint> {
  return { ...(await connect(providerUrl)), base: edgeUrl(sharedStack(), 'retrying') };
}

const isFinished = ({ exitCodes, files }: Session): boolean =>
  exitCodes.every((code) => code === 0) &&
  Object.entries(plainAssignment.written).every(([name, text]) => files[name] === text);

describe.each(subjects)('$name ($format)', ({ name: agentName, format }) => {
  test.each(troubles)(
    'the agent recovers from $name during a session if the agent recovers with a direct connection',
    async ({ name, controls, isRetried }) => {
      const options = { agent: agentOf(agentName), format, assignment: plainAssignment, trouble: controls };
      const served = await runSession({ ...options, connect: isRetried ? connectRetrying : connect });
      const subject = `${agentName} (${format}), ${name}`;
      if (isFinished(served)) {
        process.stdout.write(`${subject}: recovered\n`);
        return;
      }
      const direct = await runSession(options);
      process.stdout.write(`${subject}: failed, directly ${isFinished(direct) ? 'recovered' : 'failed'}\n`);
      expect(isFinished(direct)).toBe(false);
    },
  );
});
