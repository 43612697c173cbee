import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StaticFiles } from './static-files.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'static-files-'));
  mkdirSync(join(directory, 'built/assets'), { recursive: true });
  writeFileSync(join(directory, 'secret.json'), '{}');
  writeFileSync(join(directory, 'built/index.html'), 'the page');
  writeFileSync(join(directory, 'built/assets/a-1234.js'), 'a()');
  writeFileSync(join(directory, 'built/assets/a-1234.js.br'), 'compressed');
});
afterAll(() => rmSync(directory, { recursive: true }));

const open = () => StaticFiles.open(join(directory, 'built'));

describe('the static files', () => {
  it('are found by path, together with their compressed variants', () => {
    const script = open().choose('assets/a-1234.js');
    expect(script).toMatchObject({ contentType: 'text/javascript; charset=utf-8', isImmutable: true });
    expect(script?.compressed.get('br')?.toString()).toBe('compressed');
    expect(open().find('assets/a-1234.js.br')).toBeUndefined();
  });

  it.each(['', 'keys', 'requests/0190', '../secret.json', 'assets', '%2e%2e/secret.json'])(
    'include the page for a path that the dashboard’s own router may handle: %j',
    (path) => {
      expect(open().choose(path)?.body.toString()).toBe('the page');
    },
  );

  it('do not include the page for a missing built asset', () => {
    expect(open().choose('assets/b-5678.js')).toBeUndefined();
  });

  it('are empty if the dashboard was not built', () => {
    expect(StaticFiles.open(join(directory, 'nowhere')).choose('')).toBeUndefined();
  });
});
