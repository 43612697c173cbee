import type { EdgeMetrics } from '../../../metrics/edge-metrics.ts';
import { createLedger, type Exchange } from '../../exchange/exchange.ts';
import { requestWith } from '../../recovery/recovery.fixture.ts';
import type { Target } from '../../../request/request.ts';
import { TokenRatios } from '../../../request/token-ratios.ts';
import { identityPlan } from '../../exchange/tool-plan.ts';
import { validate } from './validate.ts';

const model = 'a-model-that-the-gateway-chose-and-whose-name-is-longer';

function validateWhole(format: 'chat-completions' | 'messages', growsBy = '') {
  const request = requestWith(format, [{ name: 'one' }, { name: 'two' }]);
  const exchange = { format, ledger: createLedger(), headers: {}, requestId: 'r' } as unknown as Exchange;
  const defects: unknown[] = [];
  const target = { provider: { name: 'openai' }, model, lane: { kind: 'same-format', format } };
  const edits = growsBy === '' ? [] : [{ start: 1, end: 1, replacement: growsBy }];
  const planned = { ...identityPlan([0, 1], 'off'), schemaEdits: new Map([[0, { edits, steps: [] }]]) };
  const services = {
    metrics: { planDefects: { inc: () => undefined } } as unknown as EdgeMetrics,
    log: { error: ({ defect }: { defect: unknown }) => defects.push(defect) } as never,
    tokenRatios: new TokenRatios(),
    toolTokens: { count: () => [] },
  };
  const { body } = validate(
    request,
    target as unknown as Target,
    planned,
    exchange,
    { accountId: 'a' },
    services,
  );
  return { defects, reason: exchange.ledger.plan?.kReason, body: Buffer.from(body).toString() };
}

describe.each(['chat-completions', 'messages'] as const)('a %s request', (format) => {
  it('may grow by the length of its model name, because a plan does not choose the model', () => {
    const { defects, reason, body } = validateWhole(format);
    expect(defects).toEqual([]);
    expect(reason).toBe('off');
    expect(JSON.parse(body)).toMatchObject({ model });
  });

  it('must not become longer through a plan, even by one character', () => {
    const { defects, reason } = validateWhole(format, ' ');
    expect(defects).toEqual([expect.stringContaining('grew')]);
    expect(reason).toBe('invalid_plan');
  });
});
