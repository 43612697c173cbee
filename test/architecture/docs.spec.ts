import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const pages = globSync('{*.md,docs/**/*.md,k8s/**/*.md,models/**/*.md,training/**/*.md,apps/*/*.md}', {
  cwd: root,
});
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/**
 * Returns the anchors on a documentation page. GitHub writes an anchor in lowercase, without punctuation, and
 * with hyphens instead of spaces.
 */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the links of a page to files in the repository, as [file, anchor]. */
function linksOf(path: string): [file: string, anchor: string | undefined][] {
  return [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      return [file === '' ? path : join(dirname(path), file), anchor];
    });
}

/** Returns the repository paths that a page mentions in code formatting. */
function pathsIn(path: string): string[] {
  return [
    ...read(path).matchAll(/`((?:apps|libs|test|tools|training|docs|deploy|k8s|prisma)\/[\w./-]+)`/g),
  ].map(([, name = '']) => name);
}

describe.each(pages)('%s', (page) => {
  test('a documentation page links only to existing files and headings', () => {
    const broken = linksOf(page).filter(
      ([file, anchor]) =>
        !existsSync(join(root, file)) ||
        (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  test('a documentation page mentions only existing paths', () => {
    expect(pathsIn(page).filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

test('runbook links in the alerts lead to existing headings', () => {
  const targets = [...read('deploy/prometheus/alerts.yaml').matchAll(/runbook: (\S+\.md)#(\S+)/g)];
  expect(targets.length).toBeGreaterThan(10);
  for (const [, file = '', anchor = ''] of targets)
    expect([file, anchorsOf(file)]).toEqual([file, expect.arrayContaining([anchor])]);
});
