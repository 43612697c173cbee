import type { RequestEventV1 } from '@gateway/contracts';
import type { Answered } from '../../../routing/model-router.ts';
import { createLedger, type Exchange, type Timings } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import { noteAnswer } from './note-answer.ts';

const event = {
  ...{ accountId: 'a', provider: 'openai', model: 'm', status: 'ok' },
  usage: { inputTokens: 10, outputTokens: 100 },
} as RequestEventV1;

function note(
  { sentAt, ...timings }: Timings & { sentAt?: number },
  recoveryRounds = 0,
  given: Partial<Exchange> = {},
): Answered | undefined {
  let told: Answered | undefined;
  const ledger = { ...createLedger(), stream: true, recoveryRounds };
  const target = { ownCredential: null };
  const attempts = { current: sentAt === undefined ? null : { sentAt, target } };
  noteAnswer({ timings, attempts, ledger, ...given } as Exchange, event, {
    noteAnswer: (answered) => (told = answered),
  });
  return told;
}

describe('noteAnswer', () => {
  it('measures the time to the first token from the start of the call that produced the token', () => {
    expect(note({ startedAt: 0, forwardedAt: 5, sentAt: 5, firstByteAt: 305 })?.seen?.firstTokenMs).toBe(300);
    const again = { startedAt: 0, forwardedAt: 5, sentAt: 105, firstByteAt: 305 };
    expect(note(again)?.seen?.firstTokenMs).toBe(200);
  });

  it('measures no speed after recovery rounds, because times and tokens belong to several calls', () => {
    const told = note({ startedAt: 0, forwardedAt: 5, firstByteAt: 305, sentAt: 900 }, 1);
    expect(told).toMatchObject({ id: 'openai/m', seen: null, inputTokens: 10 });
  });

  it('takes the conversation length from the last recovery round only', () => {
    const usages = [3, 7].map((inputTokens) => ({ inputTokens, outputTokens: 50 }));
    const rounds = { usages } as unknown as RecoveryRounds;
    expect(
      note({ startedAt: 0, forwardedAt: 5, sentAt: 5, firstByteAt: 305 }, 1, { rounds })?.inputTokens,
    ).toBe(7);
  });
});
