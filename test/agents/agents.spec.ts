/**
 * Tests that published agents work through the gateway in the same way as with a direct provider connection.
 * Each agent uses its guide's configuration and calls a scripted model in two turns. The second turn resumes
 * the session in a new process.
 */
import { agents } from './agents.fixture.ts';
import { isBasicTool } from './capable-model.fixture.ts';
import { runSession, type Session, type SessionRequest } from './sessions.fixture.ts';
import { connect, finished, files, tasks } from './tasks.fixture.ts';
import { installAgents } from './workspace.fixture.ts';

let commands: string;
beforeAll(async () => {
  commands = await installAgents();
}, 300_000);

const basicTools = ({ prompt }: SessionRequest): string[] =>
  prompt.tools.map(({ name }) => name).filter(isBasicTool);
const resumed = ({ requests }: Session): number => {
  const first = requests.find(({ turn }) => turn === 1);
  return first === undefined ? 0 : first.cachedTokens / first.tokens;
};

/** Returns a report line that compares an agent's session through the gateway with a direct session. */
function describeRun(name: string, direct: Session, served: Session): string {
  const tools = ({ requests }: Session): number =>
    Math.max(...requests.map(({ prompt }) => prompt.tools.length));
  const percent = (session: Session): string => `${(resumed(session) * 100).toFixed(1)}%`;
  return [
    `${name}: ${direct.requests.length} requests directly and ${served.requests.length} through the gateway`,
    `${tools(direct)} and ${tools(served)} tools`,
    `${percent(direct)} and ${percent(served)} cached after the resume`,
    `cost ${(served.cost / direct.cost).toFixed(3)}\n`,
  ].join(', ');
}

describe.each(agents)('$name ($format)', (agent) => {
  let direct: Session;
  let served: Session;
  beforeAll(async () => {
    const options = {
      commands,
      agent,
      tasks,
      files,
      written: Object.keys(finished.files),
    };
    [direct, served] = await Promise.all([runSession(options), runSession({ ...options, connect })]);
    process.stdout.write(describeRun(agent.name, direct, served));
  }, 300_000);

  test('the agent finishes both turns, through the gateway and with a direct connection', () => {
    const outcome = ({ exitCodes, files, outputs }: Session) => ({ exitCodes, files, outputs });
    expect(outcome(direct)).toMatchObject(finished);
    expect(outcome(served)).toMatchObject(finished);
  });

  test('the agent keeps its shell, read, write and edit tools in every request', () => {
    const own = basicTools(direct.requests[0]!);
    expect(own.length).toBeGreaterThan(0);
    for (const request of served.requests.filter(({ prompt }) => prompt.tools.length > 0))
      expect(basicTools(request)).toEqual(own);
  });

  test('the session costs at most 2% more through the gateway than with a direct connection', () => {
    expect(served.cost).toBeLessThanOrEqual(direct.cost * 1.02);
  });

  test('after a resume, the provider reads as much of the prompt from its cache as with a direct connection', () => {
    expect(resumed(served)).toBeGreaterThanOrEqual(resumed(direct) - 0.02);
  });
});
