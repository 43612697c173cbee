import type { StreamEvent, TokenUsage } from '@gateway/interchange';
import type { Caller, Target } from '../request/request.ts';
import { createLedger, type Exchange } from './exchange/exchange.ts';
import { recoveryFor, requestWith } from './recovery/recovery.fixture.ts';
import { openRounds } from './open-recovery-rounds.ts';
import { identityPlan, type Outbound } from './exchange/tool-plan.ts';
import type { PipelineServices } from './services.ts';
import { createAttempts } from './exchange/attempt.ts';

const recovery = recoveryFor(requestWith('chat-completions', [{ name: 'here' }, { name: 'away' }]), {
  forwarded: [0],
});
const asks: StreamEvent[] = [
  {
    type: 'tool-call-start',
    choice: 0,
    block: 0,
    id: 'c',
    name: recovery.recoveryTool.name,
    kind: 'function',
  },
  { type: 'tool-call-delta', choice: 0, block: 0, argumentsText: '{"action":"describe","names":["away"]}' },
  { type: 'tool-call-end', choice: 0, block: 0 },
];
const answers = (usage: TokenUsage, said: readonly StreamEvent[]): StreamEvent[] => [
  { type: 'message-start', format: 'chat-completions', id: 'x' },
  ...said,
  { type: 'usage', usage },
  { type: 'finish', choice: 0, reason: said.length > 0 ? 'tool-calls' : 'stop', rawReason: 'stop' },
  { type: 'message-end' },
];

it('keeps the usage of earlier recovery rounds if a broken response is requested again, because the rounds are billed', async () => {
  const broken = new Error('broken');
  const outbound = {
    plan: { recovery, forwarded: [0], eligible: [0, 1] },
    roundFor: () => ({ plainBodyFor: null, plan: identityPlan([0, 1], null) }),
  };
  const exchange = {
    abort: new AbortController(),
    headers: {},
    ledger: createLedger(),
    attempts: createAttempts(),
  } as unknown as Exchange;
  const services = {
    retryBudget: {
      countRequest: () => {
        throw broken;
      },
    },
  } as unknown as PipelineServices;
  const open = () =>
    openRounds(outbound as unknown as Outbound, { target: {} as Target }, exchange, {} as Caller, services);
  const first = open();
  first?.push(answers({ inputTokens: 100, outputTokens: 5 }, asks));
  await expect(first?.next()).rejects.toBe(broken);
  const again = open();
  again?.push(answers({ inputTokens: 110, outputTokens: 7 }, []));
  expect(await again?.next()).toEqual({ kind: 'complete' });
  expect(again?.usages.map(({ inputTokens }) => inputTokens)).toEqual([100, 110]);
  expect(again?.summary.usage).toMatchObject({ inputTokens: 210, outputTokens: 12 });
});
