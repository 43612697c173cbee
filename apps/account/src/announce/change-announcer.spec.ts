import { ChangeAnnouncer } from './change-announcer.ts';

const { jest } = import.meta;

describe('the sweep for unannounced changes', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('announces the changes of later accounts if the changes of one account fail', async () => {
    const found = ['a', 'b', 'c'].map((id) => ({ id, epoch: 2, announcedEpoch: 1 }));
    const announced: string[] = [];
    const warnings: unknown[] = [];
    const announcer = new ChangeAnnouncer({
      messaging: {
        broadcast: (_: unknown, { accountId }: { accountId: string }) => announced.push(accountId),
        flush: () => Promise.resolve(),
        connected: true,
      } as never,
      epochs: { write: () => undefined },
      database: {
        acrossAccounts: { $queryRaw: () => Promise.resolve(found), $executeRaw: () => Promise.resolve(1) },
        forAccount: (id: string) => ({
          apiKey: {
            findMany: () =>
              id === 'a' ? Promise.reject(new Error('statement time-out')) : Promise.resolve([]),
          },
        }),
      } as never,
      logger: { warn: (fields: unknown) => warnings.push(fields) },
    });
    announcer.start();
    // Only the second sweep that finds a change announces the change.
    await jest.advanceTimersByTimeAsync(2_000);
    await announcer.stop();
    expect(announced).toEqual(['b', 'c']);
    expect(warnings).toEqual([{ err: new Error('statement time-out') }]);
  });
});
