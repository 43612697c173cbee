import { createHash } from 'node:crypto';
import { assessList } from '../../../apps/worker/src/assess-tools/assess-tools.ts';
import { keywordRanker } from '../../../apps/tool-router/src/ranking/keyword-ranker.ts';
import { makeToolCard } from '../../../apps/tool-router/src/tool-index/tool-card.ts';
import { indexToolList } from '../../../apps/tool-router/src/tool-index/keyword-index.ts';
import { githubTools } from '../../e2e/github-tools.fixture.ts';

interface Offered {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  readonly examples: string[];
}

const schemaOf = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string', description: `The ${name}.` } },
  required: [name],
});
const plant = (name: string, description: string, parameter: string): Offered => ({
  ...{ name, description, parameters: schemaOf(parameter), examples: [] },
});
const github: Offered[] = githubTools.map(({ function: tool }) => ({
  ...{ name: tool.name, description: tool.description ?? '', parameters: tool.parameters, examples: [] },
}));

function rankOf(tools: readonly Offered[], question: string, name: string): number {
  const cards = tools.map((tool) =>
    makeToolCard({ hash: createHash('sha256').update(JSON.stringify(tool)).digest('hex'), ...tool }),
  );
  const index = indexToolList('list', cards);
  const { order } = keywordRanker.rank(index, { turns: [question], at: 0 });
  return [...order].findIndex((position) => index.names[position] === name) + 1;
}

/**
 * Pairs of tools that models easily confuse. The tool list of the test contains the tools of all pairs, and
 * GitHub's tools. A pair consists of the intended tool, a similar tool, and a request for the intended tool.
 */
const collisions = [
  {
    meant: plant('get_user', 'Get a user of the company', 'badge_number'),
    rival: plant('fetch_user', 'Fetch a user', 'login'),
    question: 'Fetch the user with badge 4411',
  },
  {
    meant: plant('read_invoice', 'Read an invoice that was sent to a customer', 'order_reference'),
    rival: plant('fetch_invoice', 'Fetch an invoice', 'invoice_key'),
    question: 'Fetch the invoice with order reference 20-118',
  },
  {
    meant: plant('load_page', 'Load a page of the wiki of the company', 'page_title'),
    rival: plant('retrieve_page', 'Retrieve a page', 'page_url'),
    question: 'Retrieve the page with the title Onboarding',
  },
] as const;

test.each(collisions)(
  'the collision between $meant.name and $rival.name is found, and the suggestion ranks $meant.name higher',
  ({ meant, rival, question }) => {
    const tools = [...github, meant, rival];
    const assessment = assessList(tools).find(({ name }) => name === meant.name);
    expect(assessment?.near[0]).toEqual({ name: rival.name, similarity: 1 });
    const wording = assessment!.wordings.find(({ collidesWith }) => collidesWith === rival.name)!;
    const before = rankOf(tools, question, meant.name);
    expect(before).toBeGreaterThan(1);
    const { description, examples } = wording;
    const reworded = { ...meant, description, examples: [...examples] };
    expect(rankOf([...github, reworded, rival], question, meant.name)).toBeLessThan(before);
  },
);
