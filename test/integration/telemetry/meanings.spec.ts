import { join } from 'node:path';
import { ToolEmbedding } from '../../../apps/tool-router/src/vectors/embed-tools.ts';
import { openEncoder } from '../../../apps/tool-router/src/inference-threads/open-models.ts';
import type { Encoder } from '../../../apps/tool-router/src/inference/inference.port.ts';
import type { Inference } from '../../../apps/tool-router/src/inference/inference.port.ts';
import { assessList } from '../../../apps/worker/src/assess-tools/assess-tools.ts';
import type { OfferedTool } from '../../../apps/worker/src/assess-tools/assessed-tool.ts';
import { readMeanings } from '../../../apps/worker/src/assess-tools/meanings.ts';
import { githubTools } from '../../e2e/github-tools.fixture.ts';

const schemaOf = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(
    names.map((name) => [name, { type: 'string', description: `The ${name}.` }]),
  ),
});
const offer = (name: string, description: string, ...parameters: string[]): OfferedTool => ({
  ...{ name, description, parameters: schemaOf(...parameters), examples: [] },
});
const github = githubTools.map(({ function: tool }): OfferedTool => ({
  ...{ name: tool.name, description: tool.description ?? '', parameters: tool.parameters, examples: [] },
}));
/** Pairs of tools with the same purpose and no common word. */
const planted = [
  [
    offer('list_cars', 'List the cars of a fleet', 'fleet'),
    offer('list_vehicles', 'List vehicles', 'fleet_id'),
  ],
  [
    offer('send_email', 'Send an e-mail message to a recipient', 'to', 'subject', 'body'),
    offer('mail_message', 'Sends mail to someone', 'recipient', 'text'),
  ],
] as const;
const all = [...github, ...planted.flat()];

let encoder: Encoder;
beforeAll(async () => {
  encoder = await openEncoder(join(import.meta.dirname, '../../../models/encoder'), 1);
}, 60_000);
afterAll(() => encoder.release());

/** Creates a function that replies like a tool router, using the shipped encoder in the test process. */
function openRouter(has: Encoder | undefined) {
  const inference: Inference = {
    encoder: has,
    secondEncoder: undefined,
    reranker: undefined,
    textsPerTask: 16,
    run: (task) =>
      task.kind === 'encode' ? encoder.encode(task.texts) : Promise.reject(new Error(task.kind)),
  };
  const embedding = new ToolEmbedding(inference);
  const call = ((_: unknown, request: Parameters<ToolEmbedding['embed']>[0]) =>
    embedding.embed(request)) as Parameters<typeof readMeanings>[0]['call'];
  return { call };
}

const nearOf = (assessed: ReturnType<typeof assessList>, name: string) =>
  assessed.find((tool) => tool.name === name)!.near.map((near) => near.name);

describe('tools with the same meaning in different words', () => {
  test.each(planted)(
    '$0.name and $1.name have no common words but are similar by meaning',
    async (one, other) => {
      const meanings = await readMeanings(openRouter(encoder), all);
      expect(nearOf(assessList(all), one.name)).not.toContain(other.name);
      const assessed = assessList(all, meanings);
      expect(nearOf(assessed, one.name)).toContain(other.name);
      expect(nearOf(assessed, other.name)).toContain(one.name);
      expect(assessed.find(({ name }) => name === one.name)!.issues.map(({ code }) => code)).toContain(
        'near_duplicate',
      );
    },
  );

  test('few tools are similar by meaning in a clean set: nine of ten GitHub tools have no issue', async () => {
    const meanings = await readMeanings(openRouter(encoder), github);
    expect(meanings).not.toBeNull();
    const withIssues = assessList(github, meanings).filter(({ issues }) => issues.length > 0);
    expect(withIssues.length / github.length).toBeLessThanOrEqual(0.1);
  });

  test('tools are compared by words if no encoder is running or no router responds', async () => {
    expect(await readMeanings(openRouter(undefined), all)).toBeNull();
    const away = { call: () => Promise.reject(new Error('away')) };
    expect(await readMeanings(away, all)).toBeNull();
    expect(assessList(all, null)).toEqual(assessList(all));
  });
});
