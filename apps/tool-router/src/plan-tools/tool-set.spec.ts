import { deferralK, recallPriors } from '../policy/recall-prior.ts';
import { defineTool } from '../tool-index/tools.fixture.ts';
import { clear, namesOf, plan, shop, shopNames, things, verbs } from './plan-shop.fixture.ts';
import { growingTurnsMax } from './tool-set.ts';

describe('the tool set of a conversation', () => {
  const next = 'Archive the warehouse';

  it('stays the same through an agent loop and through turns that need no other tool', async () => {
    const first = await plan(shop, { userTurns: [clear] });
    const step = await plan(shop, {
      userTurns: [clear],
      calledTools: ['create_invoice'],
      recentResults: ['{"id":1}'],
    });
    const thanks = await plan(shop, { userTurns: [clear, 'thanks'], calledTools: ['create_invoice'] });
    expect(step.forwarded).toEqual(first.forwarded);
    expect(thanks.forwarded).toEqual(first.forwarded);
    expect([step.kReason, thanks.kReason]).toEqual(['frozen', 'frozen']);
  });

  it('grows once when a later turn clearly needs a pruned tool, and keeps the earlier tools', async () => {
    const first = await plan(shop, { userTurns: [clear] });
    const grown = await plan(shop, { userTurns: [clear, next] });
    const after = await plan(shop, { userTurns: [clear, next, 'thanks'] });
    expect(namesOf(shop, first)).not.toContain('archive_warehouse');
    expect(namesOf(shop, grown)).toEqual(
      expect.arrayContaining([...namesOf(shop, first), 'archive_warehouse']),
    );
    expect(grown.kReason).toBe('grown');
    expect(after).toMatchObject({ kReason: 'frozen', forwarded: grown.forwarded });
  });

  it('is decided at the first turn with enough evidence about tools', async () => {
    const waiting = await plan(shop, { userTurns: ['hi'] });
    expect(waiting).toMatchObject({ kReason: 'uncertain', isUndecided: true, k: null });
    const decided = await plan(shop, { userTurns: ['hi', clear] });
    expect(decided).toMatchObject({ kReason: 'decided', isUndecided: false });
    expect(namesOf(shop, decided)).toContain('create_invoice');
    expect(decided.forwarded.length).toBeLessThan(shop.length);
    const after = await plan(shop, { userTurns: ['hi', clear, 'thanks'] });
    expect(after).toMatchObject({ kReason: 'frozen', forwarded: decided.forwarded });
  });

  it('contains all tools after eight turns without evidence about tools', async () => {
    const userTurns = [...Array<string>(8).fill('hi'), clear];
    expect(await plan(shop, { userTurns: userTurns.slice(0, 7) })).toMatchObject({ isUndecided: true });
    expect(await plan(shop, { userTurns })).toMatchObject({
      ...{ kReason: 'uncertain', isUndecided: false, k: null },
    });
  });

  const price = { cacheRead: 0.1, cacheWrite: 1.25, output: 5, cachedTokensMin: 1024 };
  const cached = { mayRecover: true, price: { ...price, listTokens: 40_000, headTokens: 500 } };

  it('is decided later only if the savings exceed the cost of rewriting the prompt cache', async () => {
    const after = (sent: number) =>
      plan(shop, {
        userTurns: ['hi', clear],
        mayRecover: true,
        price: { ...cached.price, sentTokens: [0, sent] },
      });
    const cheap = await after(600);
    expect(cheap).toMatchObject({ kReason: 'decided' });
    expect(cheap.worth!.saved).toBeGreaterThan(cheap.worth!.spent);
    const dear = await after(60_000);
    expect(dear).toMatchObject({ kReason: 'net_negative', k: null, isUndecided: false });
    expect(dear.worth!.spent).toBeGreaterThan(dear.worth!.saved);
    expect(dear.worth!.spent - cheap.worth!.spent).toBeCloseTo(59_400 * (1.25 - 0.1), -1);
  });

  it('grows with every turn by up to a third of K if tools can be added behind the cached prefix', async () => {
    const k = 6;
    const turns = [clear, 'Refund the payment of the customer', 'yes'];
    const sizeAt = async (at: number, appends: boolean): Promise<number> => {
      const asked = { userTurns: turns.slice(0, at + 1), kOverride: k, appends };
      return (await plan(shop, { ...cached, ...asked })).forwarded.length;
    };
    const [first, second, third] = [await sizeAt(0, true), await sizeAt(1, true), await sizeAt(2, true)];
    expect(await sizeAt(0, false)).toBe(first);
    expect(second).toBeGreaterThan(first);
    for (const added of [second - first, third - second]) expect(added).toBeLessThanOrEqual(k / 3);
    expect(third).toBeGreaterThanOrEqual(second);
  });

  describe('of a new account whose provider defers tools', () => {
    const wide = [...Array(3).keys()].flatMap((copy) =>
      verbs.flatMap((verb) =>
        things.map((thing) => defineTool(`${verb}_${thing}_${copy}`, `${verb} a ${thing}`)),
      ),
    );
    const deferred = { ...cached, userTurns: [clear], recallTarget: 0.95 };
    const prior = recallPriors.keyword;
    const wanted = { tools: wide.length, recallTarget: 0.95, recoveredShare: 0.5 };

    it.each([
      ['loading', { deferredCost: 'nothing', appends: true }],
      ['constant', { deferredCost: 'nothing' }],
      ['described', { deferredCost: 'description' }],
      ['pruned', { isFinal: true, mayRecover: false }],
    ] as const)('has the K that was measured on whole conversations (%s)', async (mode, given) => {
      const recoveredShare = mode === 'pruned' ? 0 : wanted.recoveredShare;
      const k = deferralK(prior, mode, { ...wanted, recoveredShare });
      const planned = await plan(wide, { ...deferred, ...given });
      expect(planned).toMatchObject({ kReason: 'prior', k: k < wide.length ? k : null });
      expect(planned.policyVersion).toContain(prior.deferral.version);
    });

    it('loads no tools in later turns if the deferred tools are constant', async () => {
      const given = { ...deferred, deferredCost: 'description' } as const;
      const first = await plan(wide, given);
      const second = await plan(wide, { ...given, userTurns: [clear, 'Refund the payment of the customer'] });
      expect(second.forwarded).toEqual(first.forwarded);
    });

    it('neither adds nor recovers tools if the tool set is final', async () => {
      const given = { ...deferred, isFinal: true, mayRecover: false, recallTarget: 0.8 } as const;
      const first = await plan(wide, given);
      const second = await plan(wide, { ...given, userTurns: [clear, 'Refund the payment of the customer'] });
      expect(first.recovery.armed).toBe(false);
      expect(first.forwarded.length).toBeLessThan(wide.length);
      expect(second.forwarded).toEqual(first.forwarded);
      expect(first.k).toBe(deferralK(prior, 'pruned', { ...wanted, recallTarget: 0.8, recoveredShare: 0 }));
    });

    it('needs a larger K for a higher target, a longer list or a recovery rate below 0.5', () => {
      for (const mode of ['loading', 'constant', 'described'] as const) {
        const kOf = (given: Partial<typeof wanted>): number =>
          deferralK(prior, mode, { ...wanted, ...given });
        expect(kOf({ recallTarget: 0.8 })).toBeLessThan(kOf({}));
        expect(kOf({ tools: 200 })).toBeGreaterThan(kOf({}));
        expect(kOf({ recoveredShare: 0.3 })).toBeGreaterThan(kOf({}));
        expect(kOf({ recallTarget: 0.9999 })).toBe(Infinity);
      }
    });
  });

  it('is decided after a late plan, at any step of an agent loop, if the savings exceed the cost of rewriting the prompt cache', async () => {
    const late = (lateTokens: number) => ({
      ...{ userTurns: [clear], calledTools: ['create_invoice'], recentResults: ['{"id":1}'], ...cached },
      session: {
        ...{ forwarded: [...shop.keys()], turns: 1, policyVersion: 'late', lane: 'keyword' as const },
        ...{ way: null, isShadow: false, isUndecided: true, lateTokens },
      },
    });
    const onTime = await plan(shop, { userTurns: [clear], ...cached });
    const soon = await plan(shop, late(900));
    expect(soon).toMatchObject({ kReason: 'decided', chosen: onTime.chosen });
    expect(soon.policyVersion).toBe(onTime.policyVersion);
    expect(await plan(shop, late(90_000))).toMatchObject({ kReason: 'net_negative', k: null });
  });

  it('of an `in_place` conversation grows by tool names that the person wrote, but not by names in pasted logs', async () => {
    const pruned = 'archive_warehouse';
    const before = await plan(shop, { userTurns: [clear], ...cached });
    expect(before.recovery).toEqual({ armed: true, way: 'in_place' });
    expect(namesOf(shop, before)).not.toContain(pruned);
    const log = `It fails:\n2026-11-20 10:00:00 ERROR ${pruned} timed out\n    at ${pruned} (/srv/app.js:10:2)`;
    const ask = (turn: string) => plan(shop, { userTurns: [clear, turn], ...cached });
    expect(namesOf(shop, await ask(`It fails, call ${pruned}`))).toContain(pruned);
    const pasted = await ask(log);
    expect(
      pasted.candidates.find(({ position }) => shopNames[position] === pruned)?.alwaysIn,
    ).toBeUndefined();
  });

  it('needs rankings only for the first turns and the newest turn of a thousand-turn conversation', async () => {
    const userTurns = [
      clear,
      ...Array.from({ length: 1000 }, (_, at) => `Update shipment ${at} of the customer`),
    ];
    const ranked: number[] = [];
    const planned = await plan(shop, { userTurns }, (at) => ranked.push(at));
    expect(ranked).toEqual([...Array(growingTurnsMax).keys(), 1000]);
    expect(planned.kReason).toBe('frozen');
  });
});
