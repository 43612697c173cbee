import type { RouteRow } from '../http/route-table.ts';
import { renderDocument, type OpenApiDocument } from './render-document.ts';
import { renderPage } from './render-page.ts';

/** The description of the public API, rendered when it is first asked for. */
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
