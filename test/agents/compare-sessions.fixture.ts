/** Runs an agent's session directly and through the gateway, and tests the differences. */
import { agentNamed, type Agent, type AgentFormat } from '../../tools/agent/agents.ts';
import { withModel, type Endpoint } from '../../tools/agent/configure.ts';
import { installPackage } from '../../tools/agent/install-package.ts';
import { send } from '../e2e/http.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { isBasicTool } from './capable-model.fixture.ts';
import { runSession, type Session, type SessionRequest } from './sessions.fixture.ts';
import { signingModel } from './signing-model.fixture.ts';
import { strands } from './strands.fixture.ts';
import { connect, plainAssignment, serversAssignment } from './tasks.fixture.ts';
import { countRounds, findResumed, listPrefixChanges } from './transcripts.fixture.ts';
import { installServers } from './workspace.fixture.ts';

/** One agent's sessions in one format, with and without MCP servers. */
export interface Subject {
  readonly name: string;
  readonly format: AgentFormat;
  readonly servers?: true;
  /** Whether the model signs its reasoning and binds it to the prompt's prefix. */
  readonly isSigning?: true;
  /** The account's compression mode. The default is `lossless`. */
  readonly compression?: 'balanced';
  /** Whether the gateway must send all tools, because the agent cannot read the provider's tool search. */
  readonly getsAllTools?: true;
}

interface Comparison {
  readonly subject: Subject;
  readonly direct: Session;
  readonly served: Session;
}

const SETUP_WITHIN_MS = 600_000;
const SESSIONS_WITHIN_MS = 600_000;

/** Installs the agents' packages. Parallel installations would need more memory than a small machine has. */
export async function installSubjects(subjects: readonly Subject[]): Promise<void> {
  const names = new Set(subjects.map(({ name }) => name));
  if (subjects.some(({ servers }) => servers)) names.add('mcp-servers');
  for (const name of names) await installPackage(name);
}

export const agentOf = (name: string): Agent => (name === strands.name ? strands : agentNamed(name));

async function compare(subject: Subject): Promise<Comparison> {
  const { format, isSigning, compression } = subject;
  const named = agentOf(subject.name);
  const agent = isSigning ? withModel(named, format, signingModel) : named;
  const options = subject.servers
    ? { agent, format, isSigning, assignment: serversAssignment, serversOf: await installServers() }
    : { agent, format, isSigning, assignment: plainAssignment };
  const preferences = compression === undefined ? {} : { compression: { mode: compression } };
  const connecting = (url: string): Promise<Endpoint> => connect(url, preferences);
  const [direct, served] = await Promise.all([
    runSession(options),
    runSession({ ...options, connect: connecting }),
  ]);
  return { subject, direct, served };
}

/** The largest number of tools in the prompts. Deferred tools are not part of a prompt. */
const toolsOf = ({ requests }: Session): number =>
  Math.max(...requests.map(({ prompt }) => prompt.tools.filter((tool) => !tool.isDeferred).length));
const uncachedOf = (session: Session): number => {
  const { tokens, cachedTokens } = findResumed(session);
  return tokens - cachedTokens;
};
const ratioOf = ({ direct, served }: Comparison): number => served.cost / direct.cost;

const titleOf = ({ name, format, servers, isSigning, compression, getsAllTools }: Subject): string => {
  const conditions = [
    ...[format, servers && 'MCP servers', isSigning && 'bound reasoning', compression],
    getsAllTools && 'all tools',
  ];
  return `${name} (${conditions.filter((each) => each !== undefined).join(', ')})`;
};

/** Returns a report line that compares an agent's session through the gateway with a direct session. */
function describeRun(comparison: Comparison): string {
  const { subject, direct, served } = comparison;
  const share = (session: Session): string => {
    const { tokens, cachedTokens } = findResumed(session);
    return `${((cachedTokens / tokens) * 100).toFixed(1)}%`;
  };
  const tokens = ({ requests }: Session): string =>
    `${Math.round(requests.reduce((sum, request) => sum + request.tokens, 0) / 1000)}k`;
  const both = (render: (session: Session) => number | string): string =>
    `${render(direct)} → ${render(served)}`;
  return [
    titleOf(subject).padEnd(50),
    `tools ${both(toolsOf)}`.padEnd(15),
    `requests ${both(({ requests }) => requests.length)}`.padEnd(17),
    `tokens ${both(tokens)}`.padEnd(20),
    `resume: cached ${both(share)}, uncached ${both(uncachedOf)}`.padEnd(55),
    `rounds ${countRounds(served)}`,
    ...(served.signing === null ? [] : [`searches ${served.signing.searches}`]),
    `cost ${ratioOf(comparison).toFixed(3)}\n`,
  ].join(' | ');
}

/** An agent's basic tools are the tools that the agent offers without MCP servers. */
const basicTools = ({ prompt }: SessionRequest): string[] =>
  prompt.tools.flatMap(({ name, namespace, isDeferred }) =>
    namespace === undefined && isDeferred !== true && isBasicTool(name) ? [name] : [],
  );

/** Defines the tests of the given sessions. The last test compares the costs over all sessions. */
export function testSubjects(subjects: readonly Subject[]): void {
  const comparisons: Comparison[] = [];
  beforeAll(() => installSubjects(subjects), SETUP_WITHIN_MS);
  const titled = subjects.map((subject) => [titleOf(subject), subject] as const);
  describe.each(titled)('%s', (_title, subject) => {
    let comparison: Comparison;
    beforeAll(async () => {
      comparison = await compare(subject);
      comparisons.push(comparison);
      process.stdout.write(describeRun(comparison));
    }, SESSIONS_WITHIN_MS);

    testComparison(() => comparison);
    if (agentOf(subject.name).resume !== undefined) testResume(() => comparison);
    if (subject.isSigning) testSigning(() => comparison);
  });

  // Qwen Code defers the tools of MCP servers behind its own search, so the gateway has few tools to prune.
  const planned = subjects.filter(
    ({ name, servers, getsAllTools }) => servers && !getsAllTools && name !== 'qwen-code',
  );
  if (planned.length > 0) testPlanned(planned, comparisons);
}

/** Tests the sessions with so many tools that the gateway prunes or defers most of them. */
function testPlanned(planned: readonly Subject[], comparisons: readonly Comparison[]): void {
  const select = (subjects: readonly Subject[]): Comparison[] =>
    comparisons.filter(({ subject }) => subjects.includes(subject));

  test('the mean cost with MCP servers is at most 60% of the direct cost', () => {
    const ratios = select(planned).map(ratioOf);
    expect(ratios).toHaveLength(planned.length);
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThanOrEqual(0.6);
  });

  // The ranking depends on the path of the workspace, so the first request of a session may already contain the tool.
  const recovering = planned.filter(({ isSigning }) => !isSigning);
  const groups = [recovering, ...formatsOf(recovering)].filter(({ length }) => length > 1);
  test.each(
    groups.map((group) => [[...new Set(group.map(({ format }) => format))].join(', '), group] as const),
  )('a model reaches a pruned tool with the recovery tool (%s)', (_formats, group) => {
    const rounds = select(group).map(({ served }) => countRounds(served));
    expect(Math.max(...rounds)).toBeGreaterThan(0);
  });
}

/** Groups the sessions by format. */
const formatsOf = (subjects: readonly Subject[]): Subject[][] =>
  Object.values(Object.groupBy(subjects, ({ format }) => format));

function testSigning(given: () => Comparison): void {
  test('keeps the signed reasoning valid, and finds deferred tools with the search of the provider', () => {
    const { subject, direct, served } = given();
    const invalid = ({ signing }: Session) => signing?.verdicts.filter(({ kind }) => kind !== 'accepted');
    expect(invalid(direct)).toEqual([]);
    expect(invalid(served)).toEqual([]);
    expect(served.signing?.searches).toBe(subject.getsAllTools ? 0 : 1);
  });
}

function testComparison(given: () => Comparison): void {
  test('finishes both turns through the gateway as directly', () => {
    const { subject, direct, served } = given();
    const { written } = subject.servers ? serversAssignment : plainAssignment;
    for (const { exitCodes, files, outputs } of [direct, served])
      expect({ exitCodes, outputs, files }).toMatchObject({ exitCodes: [0, 0], files: written });
    expect(served.files).toEqual(direct.files);
  });

  test('has no failed request', async () => {
    const { served } = given();
    const { endpoint, requests } = served;
    const sent = requests.length - countRounds(served);
    const log = { method: 'GET', path: '/v1/account/requests?limit=100', key: endpoint.key };
    // The worker writes the request log after the agent has received the responses.
    const data = await eventually(async () => {
      const answer = (await send(endpoint.base, log)).json() as { data: { status: string }[] };
      return answer.data.length >= sent ? answer.data : undefined;
    });
    expect(sent).toBeGreaterThan(4);
    expect(data.filter(({ status }) => status !== 'ok')).toEqual([]);
  });

  test('keeps the shell, read, write and edit tools of the agent in every request', () => {
    const { subject, direct, served } = given();
    const ownTools = ({ requests }: Session): string[][] =>
      requests
        .filter(({ prompt }) => prompt.tools.length > 0)
        .map((request) =>
          basicTools(request).filter((name) => subject.servers !== true || !serverTools.has(name)),
        );
    const offered = ownTools(direct);
    expect(offered[0]?.length).toBeGreaterThan(0);
    for (const kept of ownTools(served)) expect(offered).toContainEqual(kept);
  });

  test('sends the tools and the earlier messages as an unchanged prefix', () => {
    const { direct, served } = given();
    // The agent itself may change the prefix, for example with the git status in its instructions.
    expect(listPrefixChanges(direct)).toEqual(expect.arrayContaining(listPrefixChanges(served)));
  });

  test('costs at most 2% more through the gateway than directly', () => {
    expect(ratioOf(given())).toBeLessThanOrEqual(1.02);
  });
}

function testResume(given: () => Comparison): void {
  // Pruned prompts have fewer cached tokens, so the test compares only the number of uncached tokens.
  test('reads at most 2% more of the earlier prompt uncached after a resume', () => {
    const { direct, served } = given();
    const more = uncachedOf(served) - findResumed(served).loadedTokens - uncachedOf(direct);
    expect(more / findResumed(direct).tokens).toBeLessThanOrEqual(0.02);
  });
}

/** MCP server tools that have the same names as an agent's basic tools. */
const serverTools: ReadonlySet<string> = new Set(['read_file', 'write_file']);
