import { ContentThread } from './content-thread.ts';
import { unpackContent } from './pack-content.ts';
import type { CopiedContent } from './render-content.ts';

const contentOf = (text: string): CopiedContent => {
  const shown = Buffer.from(text);
  return { request: { shown, bytesOfAll: shown.length }, answer: null };
};
const job = (text: string, secrets: readonly string[] = []) => ({ copied: contentOf(text), secrets });
const failingThread = new URL('./failing-thread.fixture.mjs', import.meta.url);

const threads: ContentThread[] = [];
function open(options?: ConstructorParameters<typeof ContentThread>[0]): ContentThread {
  const thread = new ContentThread(options);
  threads.push(thread);
  return thread;
}
afterEach(() => {
  for (const thread of threads.splice(0)) thread.close();
});

describe('the content thread', () => {
  it('packs contents without the secrets of the account that owns the contents', async () => {
    const thread = open();
    const packed = await thread.pack(
      'a',
      job('says own-secret-0123 and other-secret-0123', ['own-secret-0123']),
    );
    expect((await unpackContent(packed)).request.text).toBe('says [redacted] and other-secret-0123');
  });

  it('leaves the original bytes unchanged', async () => {
    const given = job('some text');
    await open().pack('a', given);
    expect(Buffer.from(given.copied.request.shown).toString()).toBe('some text');
  });

  it('serves accounts in turn, so a busy account delays another account by at most one job', async () => {
    const thread = open();
    const order: string[] = [];
    const pack = (account: string, text: string) =>
      thread.pack(account, job(text)).then(() => order.push(`${account}${text}`));
    await Promise.all([...['1', '2', '3', '4'].map((text) => pack('busy', text)), pack('calm', '1')]);
    expect(order.indexOf('calm1')).toBeLessThanOrEqual(2);
    expect(order.filter((name) => name.startsWith('busy'))).toEqual(['busy1', 'busy2', 'busy3', 'busy4']);
  });

  it('rejects the running job if the thread fails or hangs, and continues with the next job', async () => {
    const thread = open({ threadFile: failingThread, jobMsMax: 1_000 });
    await expect(thread.pack('a', job('fail'))).rejects.toThrow('failed');
    await expect(thread.pack('a', job('hang'))).rejects.toThrow('did not respond in time');
    await expect(thread.pack('a', job('refuse'))).rejects.toThrow('could not be packed');
    await expect(thread.pack('a', job('serve'))).resolves.toBe('served');
  }, 20_000);

  it('rejects waiting jobs when the content thread closes', async () => {
    const thread = open({ threadFile: failingThread });
    const waiting = [thread.pack('a', job('hang')), thread.pack('a', job('serve'))];
    thread.close();
    for (const outcome of await Promise.allSettled(waiting)) expect(outcome.status).toBe('rejected');
  });
});
