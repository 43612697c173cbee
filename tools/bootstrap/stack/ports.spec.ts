import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDataDir } from './data-dir.ts';
import { chooseFreePort, openPortBook } from './ports.ts';

const paths: string[] = [];
afterAll(() => {
  for (const path of paths) rmSync(path, { recursive: true });
});

function openBook() {
  const path = mkdtempSync(join(tmpdir(), 'ports-'));
  paths.push(path);
  return openPortBook(openDataDir(path), { useDefaults: false });
}

it('a port that one stack reserves is not given to another stack before the port is in use', async () => {
  const port = await openBook().choose('redis');
  const other = await openBook().choose('redis', port);
  expect(other).not.toBe(port);
});

it('a port that another running process reserves is not given to a stack', async () => {
  const port = await chooseFreePort();
  const source = `
    import { openDataDir } from '${new URL('data-dir.ts', import.meta.url).href}';
    import { openPortBook } from '${new URL('ports.ts', import.meta.url).href}';
    const book = openPortBook(openDataDir(process.argv[1]), { useDefaults: false });
    console.log([await book.choose('redis', ${port}), await book.choose('nats')].join(' '));`;
  const path = mkdtempSync(join(tmpdir(), 'ports-'));
  paths.push(path);
  const run = () =>
    promisify(execFile)(process.execPath, ['--input-type=module', '--eval', source, path], {
      encoding: 'utf8',
    });
  const [redis, nats] = (await run()).stdout.trim().split(' ').map(Number);
  expect(redis).not.toBe(port);
  // When the process exits, the ports become free again, but the stack still stores the port numbers.
  expect((await run()).stdout.trim()).toBe(`${redis} ${nats}`);
}, 30_000);
