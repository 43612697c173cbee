import { GatewayError } from '@gateway/errors';
import { ByteLedger, chooseHeldBytesMax, HeldBytes, type ByteLedgerOptions } from './byte-ledger.ts';

const mebibyte = 1024 * 1024;

function ledgerOf(options: Partial<ByteLedgerOptions> = {}) {
  const shed: string[] = [];
  let used = (): number => -1;
  const ledger = new ByteLedger({
    ...{ place: 'memory', capacity: 100 * mebibyte, accountShare: 0.8 },
    metrics: {
      shed: { inc: ({ reason }: { reason: string }) => shed.push(reason) },
      watchHeldBytes: (_place: string, bytes: () => number) => (used = bytes),
    } as unknown as ByteLedgerOptions['metrics'],
    ...options,
  });
  const hold = (accountId: string, bytes: number): HeldBytes => {
    const held = new HeldBytes(ledger, accountId);
    held.add(bytes);
    return held;
  };
  return { shed, hold, used: () => used() };
}

/** Returns the code and the message of the error that the given call throws. */
function refusalOf(call: () => unknown): [code: string, message: string] {
  try {
    call();
  } catch (error) {
    if (error instanceof GatewayError) return [error.code, error.message];
  }
  return ['none', ''];
}

describe('the bytes that requests hold in memory', () => {
  it('are limited per account, and the error names the limit of the account', () => {
    const { hold, shed } = ledgerOf();
    for (let at = 0; at < 8; at += 1) hold('noisy', 10 * mebibyte);
    const [code, message] = refusalOf(() => hold('noisy', 10 * mebibyte));
    expect([code, message]).toEqual(['overloaded', expect.stringContaining('of your account')]);
    expect(shed).toEqual(['account_memory']);
    expect(refusalOf(() => hold('quiet', 10 * mebibyte))).toEqual(['none', '']);
  });

  it('are limited for all accounts together', () => {
    const { hold, shed } = ledgerOf();
    for (let at = 0; at < 10; at += 1) hold(`account ${at}`, 10 * mebibyte);
    const [code, message] = refusalOf(() => hold('late', 1));
    expect([code, message]).toEqual(['overloaded', expect.stringContaining('The gateway holds as many')]);
    expect(shed).toEqual(['memory_full']);
  });

  it('are released once, when the request ends', () => {
    const { hold, used } = ledgerOf();
    const held = hold('a', 30 * mebibyte);
    held.add(5 * mebibyte);
    expect(used()).toBe(35 * mebibyte);
    held.release();
    held.release();
    expect(used()).toBe(0);
  });

  it('are not counted while a rejected request is still reading its body', () => {
    const { hold, used } = ledgerOf();
    const held = hold('a', mebibyte);
    held.release();
    held.add(mebibyte);
    expect(used()).toBe(0);
  });

  it('are counted in steps, so short bodies and short chunks are cheap', () => {
    const { hold, used } = ledgerOf();
    const held = hold('a', 1);
    for (let at = 0; at < 16_383; at += 1) held.add(1);
    expect(used()).toBe(16_384);
    held.add(1);
    expect(used()).toBe(32_768);
  });
});

describe('the default for the number of bytes that requests may hold in memory', () => {
  it.each([
    ['a quarter of the container’s memory', 1024 * mebibyte, 64_000 * mebibyte, 256 * mebibyte],
    ['a quarter of the machine’s memory without a container', 0, 1024 * mebibyte, 256 * mebibyte],
    ['the machine’s memory, if the limit is meaningless', 2 ** 62, 1024 * mebibyte, 256 * mebibyte],
    ['at most 512 MiB', 16_000 * mebibyte, 64_000 * mebibyte, 512 * mebibyte],
    ['at least 64 MiB', 100 * mebibyte, 64_000 * mebibyte, 64 * mebibyte],
  ])('is %s', (_, constrained, total, expected) => {
    expect(chooseHeldBytesMax(constrained, total)).toBe(expected);
  });
});
