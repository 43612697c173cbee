import { createHash } from 'node:crypto';
import type { RouteRow } from './route-table.ts';
import type { OpenApiDocument } from './render-document.ts';
import { renderDocument } from './render-document.ts';
import { Markup, markup, renderText } from './markup.ts';
import type { ShownSchema } from './render-schema.ts';
import { renderFields, renderType } from './render-schema.ts';

/**
 * The API reference, as JSON and as an HTML page. The JSON and the page are rendered when they are first
 * requested.
 */
export class Reference {
  readonly #routes: () => readonly RouteRow[];
  #document: OpenApiDocument | undefined;
  #json: string | undefined;
  #page: string | undefined;

  constructor(routes: () => readonly RouteRow[]) {
    this.#routes = routes;
  }

  json(): string {
    this.#json ??= JSON.stringify(this.#render());
    return this.#json;
  }

  page(): string {
    this.#page ??= renderPage(this.#render());
    return this.#page;
  }

  #render(): OpenApiDocument {
    this.#document ??= renderDocument(this.#routes());
    return this.#document;
  }
}

interface ShownContent {
  readonly schema?: ShownSchema;
}

interface ShownParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: ShownSchema;
  readonly description?: string;
}

interface ShownOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters?: readonly ShownParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, ShownContent>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, ShownContent>> }
    >
  >;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: ShownOperation;
}

/**
 * The style sheet of the API reference page. The page's Content-Security-Policy allows the style sheet by its
 * hash.
 */
const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; grid-template-columns: minmax(16rem, 22rem) 1fr }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; font-size: .85rem; border-right: 1px solid #8884 }
nav ul { list-style: none; margin: 0; padding: 0 }
nav h2 { font-size: .9rem; margin: 1rem 0 .25rem }
nav a { text-decoration: none; overflow-wrap: anywhere }
main { padding: 1rem 2rem 4rem; max-width: 60rem; min-width: 0 }
article { border-top: 1px solid #8884; padding: .5rem 0 1rem }
h3 { margin: .5rem 0; overflow-wrap: anywhere }
.summary { font-weight: 600 }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #8883 }
th { white-space: nowrap; font-weight: 400 }
td p, td table { margin: .25rem 0 }
code { font: .9em ui-monospace, monospace }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto } main { padding: 1rem } }
`;

/**
 * The Content-Security-Policy of the API reference page. Allows only the page's own style sheet, and forbids
 * scripts, frames, forms and other hosts.
 */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Section {
  readonly name: string;
  readonly entries: readonly Entry[];
}

/**
 * Renders the API reference as a single HTML page. The reference page needs no scripts, so the
 * Content-Security-Policy forbids scripts.
 */
export function renderPage(document: OpenApiDocument): string {
  const sections = listSections(document);
  const { title, description } = document.info;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: reference</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
<nav aria-label="Operations">${sections.map(renderLinks)}</nav>
<main>
<h1>${title}</h1>
${renderText(description)}
<p>The reference is also available as <a href="/openapi.json">OpenAPI ${document.openapi}</a>. The <a href="/docs/index">documentation</a> contains guides for users and operators.</p>
${sections.map(renderSection)}
<section><h2>Schemas</h2>${renderSchemas(document)}</section>
</main>
</body>
</html>
`.text;
}

function listSections(document: OpenApiDocument): Section[] {
  const entries = listEntries(document);
  return (document.tags ?? [])
    .map(({ name }) => ({ name, entries: entries.filter(({ operation }) => operation.tags.includes(name)) }))
    .filter((section) => section.entries.length > 0);
}

function renderLinks({ name, entries }: Section): Markup {
  return markup`<h2>${name}</h2><ul>${entries.map(renderLink)}</ul>`;
}

function renderSection({ name, entries }: Section): Markup {
  return markup`<section><h2>${name}</h2>${entries.map(renderEntry)}</section>`;
}

function renderSchemas({ components }: OpenApiDocument): Markup {
  const schemas = Object.entries((components?.schemas ?? {}) as Record<string, ShownSchema>);
  return markup`${schemas.map(
    ([name, schema]) =>
      markup`<article id="schema-${name}"><h3>${name}</h3>${renderText(schema.description)}<p>${renderType(schema)}</p>${renderFields(schema)}</article>`,
  )}`;
}

function listEntries(document: OpenApiDocument): Entry[] {
  const paths = (document.paths ?? {}) as unknown as Record<string, Record<string, ShownOperation>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function renderLink({ method, path, operation }: Entry): Markup {
  return markup`<li>
    <a href="#${operation.operationId}"><b>${method}</b> ${path}</a>
  </li>`;
}

function renderEntry({ method, path, operation }: Entry): Markup {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  return markup`<article id="${operationId}">
    <h3><b>${method}</b> <code>${path}</code></h3>
    <p class="summary">${summary}</p>
    ${renderText(description)}
    <p>Authentication: ${schemes.length === 0 ? 'none' : schemes.join(' or ')}.</p>
    ${
      parameters && parameters.length > 0
        ? markup`<h4>Parameters</h4>
            <table>
              <tbody>
                ${parameters.map(renderParameter)}
              </tbody>
            </table>`
        : ''
    }
    ${
      requestBody
        ? markup`<h4>Body</h4>
            ${renderContent(requestBody.content)}`
        : ''
    }
    <h4>Responses</h4>
    ${Object.entries(responses).map(([status, response]) => markup`<details${Number(status) < 400 ? new Markup(' open') : ''}><summary>${status}</summary>${renderText(response.description)}${renderContent(response.content)}</details>`)}
  </article>`;
}

function renderParameter({ name, in: place, required, schema, description }: ShownParameter): Markup {
  return markup`<tr>
    <th scope="row"><code>${name}</code> <i>${place}${required === true ? '' : ', optional'}</i></th>
    <td>${renderType(schema ?? {})}${renderText(description ?? schema?.description)}</td>
  </tr>`;
}

function renderContent(content: Readonly<Record<string, ShownContent>> = {}): Markup {
  const forms = Object.entries(content).map(
    ([type, { schema = {} }]) =>
      markup`<p><code>${type}</code>: ${renderType(schema)}</p>
        ${schema.$ref === undefined ? renderText(schema.description) : ''}${renderFields(schema)}`,
  );
  return markup`${forms}`;
}
