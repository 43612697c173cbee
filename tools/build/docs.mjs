import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { Marked } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

const root = resolve(import.meta.dirname, '../..');
const outDir = join(root, 'dist/apps/edge-gateway/docs');

/** The sections of the documentation's navigation, with each section's directory under docs/. */
const sections = [
  ['Guides', 'guides'],
  ['Agents', 'guides/agents'],
  ['Operations', 'operations'],
  ['Internals', 'internals'],
  ['Decisions', 'decisions'],
];

const escapeHtml = (text) => text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);

/** Returns a page's address, such as `guides/limits` for `guides/limits.md`. */
const addressOf = (file) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '');

/**
 * Returns the href of a link on a page. Links to other pages lose the suffix `.md`. Returns null for a link
 * to a file outside docs/, because the gateway does not serve source files.
 */
function hrefFrom(file, target) {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const [path, anchor] = target.split('#');
  const found = posix.normalize(posix.join(posix.dirname(file), path));
  if (found.startsWith('..') || !/\.(?:md|jpg|png)$/.test(found)) return null;
  return `/docs/${addressOf(found)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Renders the Markdown of a page as HTML. Headings have the same ids as on GitHub. */
function renderMarkdown(file, text) {
  const marked = new Marked(gfmHeadingId());
  marked.use({
    renderer: {
      link({ href, tokens }) {
        const [inner, address] = [this.parser.parseInline(tokens), hrefFrom(file, href)];
        return address === null ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      image({ href, text: alternative }) {
        return `<img src="${escapeHtml(hrefFrom(file, href) ?? '')}" alt="${escapeHtml(alternative)}">`;
      },
    },
  });
  return marked.parse(text).replace(/<table>[\s\S]*?<\/table>/g, '<div class="table" tabindex="0">$&</div>');
}

function renderNavigation(pages, current) {
  const link = ({ file, title }) =>
    `<li><a href="/docs/${addressOf(file)}"${file === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  const groups = sections.map(([name, directory]) => {
    const own = pages.filter(({ file }) => posix.dirname(file) === directory);
    return `<h2>${name}</h2><ul>${own.map(link).join('')}</ul>`;
  });
  const top = pages.filter(({ file }) => posix.dirname(file) === '.');
  return `<ul>${top.map(link).join('')}<li><a href="/docs">API reference</a></li></ul>${groups.join('')}`;
}

function renderPage(pages, { file, title, text }, style) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – agent gateway</title>
<link rel="stylesheet" href="/docs/${style}">
</head>
<body>
<nav aria-label="Documentation">${renderNavigation(pages, file)}</nav>
<main>${renderMarkdown(file, text)}</main>
</body>
</html>
`;
}

const hashOf = (content) => createHash('sha256').update(content).digest('hex').slice(0, 8);

/** Bundles the script of the API reference, together with its renderer, and writes the page that loads the script. */
function buildReference(style) {
  const { outputFiles } = buildSync({
    ...{
      entryPoints: [join(import.meta.dirname, 'reference.mjs')],
      bundle: true,
      minify: true,
      write: false,
    },
    ...{ format: 'iife', target: 'es2022', logLevel: 'error', legalComments: 'inline' },
  });
  const script = outputFiles[0].contents;
  const path = `assets/reference-${hashOf(script)}.js`;
  writeFileSync(join(outDir, path), script);
  writeFileSync(join(outDir, `${path}.gz`), gzipSync(script, { level: 9 }));
  writeFileSync(join(outDir, `${path}.br`), brotliCompressSync(script));
  const page = readFileSync(join(import.meta.dirname, 'reference.html'), 'utf8');
  const filled = page.replace('STYLE', `/docs/${style}`).replace('SCRIPT', `/docs/${path}`);
  writeFileSync(join(outDir, 'reference.html'), filled);
}

/**
 * Renders the Markdown pages under docs/ as HTML for the edge, which serves the pages below `/docs/`. Also builds the
 * page of the API reference. Returns the number of Markdown pages.
 */
export function buildDocs() {
  rmSync(outDir, { recursive: true, force: true });
  const css = readFileSync(join(import.meta.dirname, 'docs.css'));
  const style = `assets/docs-${hashOf(css)}.css`;
  mkdirSync(join(outDir, 'assets'), { recursive: true });
  writeFileSync(join(outDir, style), css);
  buildReference(style);
  cpSync(join(root, 'docs/images'), join(outDir, 'images'), { recursive: true });
  const pages = globSync('**/*.md', { cwd: join(root, 'docs') })
    .sort()
    .map((file) => {
      const text = readFileSync(join(root, 'docs', file), 'utf8');
      return { file, text, title: /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '') ?? file };
    });
  for (const page of pages) {
    const path = join(outDir, `${addressOf(page.file)}.html`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, renderPage(pages, page, style));
  }
  return pages.length;
}
