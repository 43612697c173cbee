import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTool } from '../tool-index/tools.fixture.ts';
import { clear, namesOf, plan, shop, shopNames } from './plan-shop.fixture.ts';

describe('a plan', () => {
  it('prunes tools for a clear turn and keeps the needed tool', async () => {
    const planned = await plan(shop, { userTurns: [clear] });
    expect(planned).toMatchObject({ kReason: 'prior', method: 'keyword', k: planned.forwarded.length });
    expect(namesOf(shop, planned)).toContain('create_invoice');
    expect(planned.forwarded.length).toBeLessThan(shop.length);
  });

  it('lists positions in the client’s order and ranks all tools', async () => {
    const planned = await plan(shop, { userTurns: [clear] });
    expect(planned.forwarded).toEqual(planned.forwarded.toSorted((one, other) => one - other));
    expect(planned.candidates.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([
      ...shop.keys(),
    ]);
    expect(planned.candidates[0]?.position).toBe(shopNames.indexOf('create_invoice'));
  });

  it.each([
    ['a greeting', ['hi']],
    ['words no tool has', ['Quel temps fait-il ?']],
    ['no user turn', []],
    ['an empty turn', ['']],
  ])('forwards all tools for %s, and reports the reason', async (_, userTurns) => {
    const planned = await plan(shop, { userTurns });
    expect(planned).toMatchObject({ kReason: 'uncertain', k: null });
    expect(planned.forwarded).toHaveLength(shop.length);
  });

  it('forwards all tools when the list is short', async () => {
    const planned = await plan(shop.slice(0, 8), { userTurns: [clear] });
    expect(planned).toMatchObject({ kReason: 'short_list', k: null });
    expect(planned.forwarded).toHaveLength(8);
  });

  it.each([1, 3, 20])(
    'applies an override that sets K to %d, even when the turn is ambiguous',
    async (kOverride) => {
      for (const turn of [clear, 'hi']) {
        const planned = await plan(shop, { userTurns: [turn], kOverride });
        expect(planned).toMatchObject({ kReason: 'override', k: kOverride });
        expect(planned.forwarded).toHaveLength(kOverride);
      }
    },
  );

  it('applies an override of K that equals the length of the list, and a small override for a short list', async () => {
    const wide = await plan(shop, { userTurns: [clear], kOverride: 512 });
    expect(wide).toMatchObject({ kReason: 'override', k: null });
    const narrow = await plan(shop.slice(0, 8), { userTurns: [clear], kOverride: 2 });
    expect(narrow.forwarded).toHaveLength(2);
  });

  it('always forwards called, forced, mentioned and pinned tools in addition to K, and reports the reason', async () => {
    const tools = [...shop, defineTool(null)];
    const planned = await plan(tools, {
      userTurns: ['Create an invoice, and use archive_payout'],
      kOverride: 1,
      calledTools: ['delete_coupon', 'gone'],
      forcedTools: ['update_refund'],
      pinned: [{ position: 0, because: 'cache_control' }],
    });
    const reasons = Object.fromEntries(
      planned.candidates.flatMap(({ position, alwaysIn }) =>
        alwaysIn === undefined ? [] : [[String(tools[position]?.name), alwaysIn]],
      ),
    );
    expect(reasons).toEqual({
      create_invoice: 'cache_control',
      archive_payout: 'mentioned',
      delete_coupon: 'called',
      update_refund: 'tool_choice',
      null: 'built_in',
    });
    expect(namesOf(tools, planned)).toEqual(
      expect.arrayContaining(Object.keys(reasons).filter((name) => name !== 'null')),
    );
    expect(planned.forwarded).toHaveLength(6);
    expect(planned.k).toBe(1);
  });

  it('forwards tools with the same name together', async () => {
    const twins = [...shop, defineTool('create_invoice', 'something else entirely')];
    const planned = await plan(twins, { userTurns: [clear], kOverride: 1 });
    expect(namesOf(twins, planned)).toEqual(['create_invoice', 'create_invoice']);
  });

  it('accepts thousands of tools, including tools without a description', async () => {
    const many = Array.from({ length: 4096 }, (_, at) =>
      defineTool(`tool_${at}_${shopNames[at % shopNames.length] ?? ''}`),
    );
    const planned = await plan(many, { userTurns: ['archive the webhook and the payout of tool 17'] });
    expect(planned.candidates).toHaveLength(4096);
  });
});

describe('the GitHub tools', () => {
  const text = readFileSync(
    join(import.meta.dirname, '../../../../libs/testing/data/github-tools.json'),
    'utf8',
  );
  const definitions = JSON.parse(text) as {
    function: { name: string; description: string; parameters: unknown };
  }[];
  const github = definitions.map(({ function: { name, description, parameters } }) => ({
    ...defineTool(name, description),
    parameters,
  }));

  it.each([
    ['List the open issues in octocat/hello-world', 'list_issues'],
    ['Create an issue in acme/widgets titled "Login button does nothing"', 'create_issue'],
    ['Merge pull request 42 in the acme/api repository with a squash commit', 'merge_pull_request'],
    ['Search code for usages of parseConfig in the gateway repo', 'search_code'],
    ['Please star the repository facebook/react', 'star_repository'],
  ])('are pruned to at most half for %j, and include the needed tool', async (turn, needed) => {
    const planned = await plan(github, { userTurns: [turn] });
    expect(planned.candidates).toHaveLength(117);
    expect(planned.forwarded.length).toBeLessThanOrEqual(60);
    expect(namesOf(github, planned)).toContain(needed);
  });
});
