import { createLedger } from '../../exchange/exchange.ts';
import { createAttempts } from '../../exchange/attempt.ts';
import { renderLogLine } from './render-record.ts';

type Request = Parameters<typeof renderLogLine>[0];

const ledger = createLedger();
const trace = { traceId: 'trace' } as Request['exchange']['trace'];
const exchange = {
  requestId: 'request',
  trace,
  endpoint: 'chat_completions',
  ledger,
  attempts: createAttempts(),
};

const refused: Request = {
  exchange,
  caller: null,
  outcome: {
    status: 'error',
    httpStatus: 401,
    errorCode: 'invalid_api_key',
    errorDetail: null,
    summary: null,
  },
  totalMs: 1.5,
  event: null,
};

const served: Request = {
  exchange: {
    ...exchange,
    contextPrice: { tokensSaved: 30, savedUsd: 0.03, rewrittenUsd: 0.001 },
    modelChoice: { mode: 'auto', reason: 'cheapest' } as unknown as NonNullable<
      Request['exchange']['modelChoice']
    >,
    attempts: {
      ...createAttempts(),
      calls: 3,
      abandoned: [{ provider: 'openai', model: 'gpt-4o-mini', bytes: 1 }],
      skipped: [{ id: 'openai/gpt-4', rule: 'no_images' }],
    },
    ledger: {
      ...ledger,
      stream: true,
      toolsIn: 9,
      toolsOut: 4,
      plan: {
        intent: null,
        method: 'semantic',
        k: 4,
        kReason: 'margin',
        policyVersion: null,
        defect: 'doubled',
        candidates: [],
        worth: { saved: 12, spent: 3 },
      },
      context: {
        session: '',
        decision: 'taken',
        savedUsd: 0.02,
        rewrittenUsd: 0,
        markers: [],
        blocks: [],
      },
      recoveredTools: ['search'],
      recoveryRounds: 2,
      invalidCalls: 1,
    },
  },
  caller: { accountId: 'account', keyId: 'key' },
  outcome: { status: 'ok', httpStatus: 200, errorCode: null, errorDetail: 'late', summary: null },
  totalMs: 9,
  event: {
    provider: 'openai',
    model: 'gpt-4o',
    lane: 'edited',
    toolsOut: 4,
    usage: { inputTokens: 7, outputTokens: 5, cachedInputTokens: 0, cacheWriteTokens: 0, estimated: false },
    costUsd: 0.5,
    ms: { total: 9, firstByte: 4, overhead: 1, auth: 0.5, plan: null, upstream: 3 },
  },
};

it('contains only the known fields of a rejected request', () => {
  expect(JSON.stringify(renderLogLine(refused))).toBe(
    '{"request_id":"request","trace_id":"trace","endpoint":"chat_completions","status":"error","http_status":401,' +
      '"error_code":"invalid_api_key","stream":false,"tools_in":0,"tools_out":0,"ms":{"total":1.5}}',
  );
});

it('contains all fields in a fixed order', () => {
  expect(JSON.stringify(renderLogLine(served))).toBe(
    '{"request_id":"request","trace_id":"trace","account_id":"account","key_id":"key","endpoint":"chat_completions",' +
      '"status":"ok","http_status":200,"error_detail":"late","requested_model":"svc/auto","model_reason":"cheapest",' +
      '"provider":"openai","model":"gpt-4o","stream":true,"lane":"edited","upstream_calls":3,"abandoned_calls":1,' +
      '"fallbacks_skipped":["openai/gpt-4: no_images"],"tools_in":9,"tools_out":4,"k_reason":"margin",' +
      '"tools_worth_saved":12,"tools_worth_spent":3,"hidden_rounds":2,"recovered_tools":1,"invalid_calls":1,' +
      '"plan_defect":"doubled","ctx_decision":"taken","ctx_tokens_saved":30,"ctx_saved_usd":0.02,' +
      '"ctx_rewritten_usd":0,"input_tokens":7,"output_tokens":5,"cost_usd":0.5,' +
      '"ms":{"total":9,"firstByte":4,"overhead":1,"auth":0.5,"plan":null,"upstream":3}}',
  );
});
