import type { ClientFormat, StreamEvent } from '@gateway/interchange';
import { findProvider } from '@gateway/providers';
import fc from 'fast-check';
import type { UpstreamAnswer } from '../upstream/upstream.port.ts';
import type { Exchange } from './exchange/exchange.ts';
import type { Target } from '../request/request.ts';
import { identityPlan } from './exchange/tool-plan.ts';
import { validate } from './stages/validate/validate.ts';
import { restrictTools } from './restrict-tools.ts';
import { RecoveryRounds } from './recovery/recovery-rounds.ts';
import { recoveryFor, requestWith, secretOf } from './recovery/recovery.fixture.ts';

const formats = ['chat-completions', 'messages', 'converse'] as const;
const names = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot'] as const;
const name = fc.constantFrom(...names);

/** The pruned tools that a model can call by name or through the recovery tool. */
const call = fc.oneof(
  fc.record({ own: name }),
  fc.record({ describe: fc.array(name, { maxLength: 4 }) }),
  fc.record({ need: fc.string({ minLength: 1, maxLength: 10 }) }),
  fc.record({ through: name }),
  fc.record({ garbage: fc.string({ maxLength: 10 }) }),
);
type MadeUpCall = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

const cases = fc.record({
  format: fc.constantFrom<ClientFormat>(...formats),
  tools: fc.array(name, { minLength: 1, maxLength: 8 }),
  denied: fc.array(name, { minLength: 1, maxLength: 4 }),
  allowed: fc.option(fc.array(name, { maxLength: 5 })),
  forwards: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  mode: fc.constantFrom('in_place' as const, 'regrown' as const),
  native: fc.constantFrom(undefined, 'deferred' as const, 'allowed' as const),
  asked: fc.array(fc.nat(7), { maxLength: 3 }),
  rounds: fc.array(fc.array(call, { maxLength: 3 }), { maxLength: 4 }),
  isSent: fc.boolean(),
});

const target = {
  provider: findProvider('openai'),
  model: 'm',
  ownCredential: null,
} as unknown as Target;

function tell(recoveryTool: string, calls: readonly MadeUpCall[]): StreamEvent[] {
  const told = calls.flatMap((made, block): StreamEvent[] => {
    const place = { choice: 0, block };
    const called = 'own' in made ? made.own : recoveryTool;
    const start = {
      type: 'tool-call-start',
      ...place,
      id: `c${block}`,
      name: called,
      kind: 'function',
    } as const;
    return [
      start,
      { type: 'tool-call-delta', ...place, argumentsText: write(made) },
      { type: 'tool-call-end', ...place },
    ];
  });
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  return [...told, { type: 'finish', choice: 0, reason, rawReason: reason }, { type: 'message-end' }];
}

function write(made: MadeUpCall): string {
  if ('own' in made) return '{}';
  if ('describe' in made) return JSON.stringify({ action: 'describe', names: made.describe });
  if ('need' in made) return JSON.stringify({ action: 'describe', need: made.need });
  return 'through' in made
    ? JSON.stringify({ action: 'call', name: made.through, arguments: {} })
    : made.garbage;
}

it('never sends or calls a tool that the key may not use, on any path, in 10,000 random cases', async () => {
  await fc.assert(
    fc.asyncProperty(
      cases,
      async ({ format, tools, denied, allowed, forwards, mode, native, asked, rounds, isSent }) => {
        const offered = requestWith(
          format,
          tools.map((tool) => ({ name: tool })),
        );
        const lists = { deniedTools: denied, allowedTools: allowed };
        const route = { model: 'm', stream: false };
        const exchange = { format, route, requestId: 'r', headers: {}, ledger: {} } as unknown as Exchange;
        const request = restrictTools(offered, exchange, lists);
        const eligible = request.outline.tools.map(({ index }) => index);
        const permits = (tool: string) => exchange.toolGuard?.permission.permits(tool) === true;
        const forwarded = eligible.filter((index) => forwards[index]);
        const recovery = recoveryFor(request, { eligible, forwarded, mode, requested: asked, permits });
        const chosen = native && { mode: native, appliesAt: () => true };
        const plan = { ...identityPlan(eligible, 'prior'), forwarded, recovery, deferral: chosen };
        const services = {
          metrics: { planDefects: { inc: () => undefined } },
          log: { error: () => undefined },
          tokenRatios: { bytesPerToken: () => 4 },
        } as unknown as Parameters<typeof validate>[5];
        const lane = { kind: 'same-format', format } as const;
        const outbound = validate(request, { ...target, lane }, plan, exchange, { accountId: 'a' }, services);
        const plain = outbound.plainBodyFor?.({ ...target, lane });
        const sent = plain === undefined ? [outbound.body] : [outbound.body, plain];
        const hidden = new RecoveryRounds({
          recovery,
          signal: new AbortController().signal,
          hasSent: () => isSent,
          estimateUsage: () => ({ inputTokens: 0, outputTokens: 0 }),
          send: (next) => {
            sent.push(outbound.roundFor({ ...target, lane }, next).body);
            return Promise.resolve({ status: 200 } as UpstreamAnswer);
          },
        });
        const shown: StreamEvent[] = [];
        for (const calls of [...rounds, [], [], [], []]) {
          shown.push(...hidden.push(tell(recovery.recoveryTool.name, calls)));
          const next = await hidden.next().catch(() => null);
          if (next?.kind !== 'round') break;
        }
        shown.push(...hidden.rest());

        const mayUse = new Set(request.outline.tools.map((tool) => tool.name));
        const forbidden = tools.filter((tool) => !mayUse.has(tool));
        const bodies = sent.map((body) => Buffer.from(body).toString('utf8'));
        for (const body of bodies) JSON.parse(body);
        const calledNames = shown.flatMap((event) => (event.type === 'tool-call-start' ? [event.name] : []));
        // The check throws an error rather than calling `expect`.
        // The test runs 10,000 cases, and calls to `expect` would take almost a minute.
        for (const tool of forbidden) {
          if (bodies.some((body) => body.includes(secretOf(tool)))) throw new Error(`${tool} went out`);
          if (calledNames.includes(tool)) throw new Error(`${tool} was called`);
        }
        if (calledNames.includes(recovery.recoveryTool.name))
          throw new Error('the client saw a call to the recovery tool');
      },
    ),
    { numRuns: 10_000 },
  );
}, 300_000);

it('is a pure function: the same request always gets the same recovery and the same edited tool calls', () => {
  const transcript = {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c', type: 'function', function: { name: 'alpha', arguments: '{"n":12345678901234567890}' } },
    ],
  };
  const result = { role: 'tool', tool_call_id: 'c', content: 'ok' };
  const build = () =>
    recoveryFor(
      requestWith('chat-completions', [{ name: 'alpha' }, { name: 'bravo' }], [transcript, result]),
      {
        forwarded: [1],
      },
    );
  const [one, other] = [build(), build()];
  expect(JSON.stringify([one.recoveryTool, one.callEdits])).toBe(
    JSON.stringify([other.recoveryTool, other.callEdits]),
  );
  expect(one.callEdits.map(({ replacement }) => JSON.parse(replacement) as unknown)).toEqual([
    'svc_more_tools',
    '{"action":"call","name":"alpha","arguments":{"n":12345678901234567890}}',
  ]);
});
