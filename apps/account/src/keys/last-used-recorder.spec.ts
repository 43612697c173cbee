import { LastUsedRecorder } from './last-used-recorder.ts';

describe('the recorder of the last use of API keys', () => {
  const written: string[][] = [];
  const errors: unknown[] = [];
  const recordTo = (write: (keyIds: readonly string[]) => Promise<void>) =>
    new LastUsedRecorder(write, (error) => errors.push(error));

  beforeEach(() => {
    written.length = 0;
    errors.length = 0;
  });

  it('writes many uses in one batch, and the use of each key at most once a minute', async () => {
    const recorder = recordTo((keyIds) => Promise.resolve(void written.push([...keyIds])));
    for (let i = 0; i < 100; i++) for (const keyId of ['a', 'b']) recorder.note(keyId);
    await recorder.flush();
    recorder.note('a');
    recorder.note('c');
    await recorder.flush();
    await recorder.flush();
    expect(written).toEqual([['a', 'b'], ['c']]);
  });

  it('writes within about a second, even if nothing flushes the recorder', async () => {
    const recorder = recordTo((keyIds) => Promise.resolve(void written.push([...keyIds])));
    recorder.note('a');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(written).toEqual([['a']]);
  });

  it('keeps at most ten thousand keys in memory', async () => {
    const recorder = recordTo((keyIds) => Promise.resolve(void written.push([...keyIds])));
    for (let i = 0; i < 10_001; i++) recorder.note(String(i));
    await recorder.flush();
    expect(written[0]).toHaveLength(10_000);
  });

  it('reports a failed write and continues to record uses', async () => {
    const failure = new Error('away');
    const recorder = recordTo(() => Promise.reject(failure));
    recorder.note('a');
    await recorder.flush();
    expect(errors).toEqual([failure]);
    recorder.note('b');
    await recorder.flush();
    expect(errors).toHaveLength(2);
  });
});
