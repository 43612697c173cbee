import { Controller, Get, Header, Inject } from '@nestjs/common';
import { z } from 'zod';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';
import { pagePolicy, Reference } from '../../openapi/reference.ts';

const readOpenApi: Operation = {
  id: 'readOpenApi',
  tag: 'Documentation',
  summary: 'Read the API reference as OpenAPI 3.1',
  answer: { status: 200, description: 'The document.', schema: z.looseObject({ openapi: z.string() }) },
};

const readReference: Operation = {
  id: 'readReference',
  tag: 'Documentation',
  summary: 'Read the API reference as a web page',
  answer: { status: 200, description: 'The page.', contentType: 'text/html', schema: z.string() },
};

/**
 * Serves the API reference at `GET /openapi.json` and `/docs`. The reference is generated from the route
 * descriptions.
 */
@Controller()
@AllowAccess('public')
export class DocumentationRoute {
  readonly #reference: Reference;

  constructor(@Inject(Reference) reference: Reference) {
    this.#reference = reference;
  }

  @Get('/openapi.json')
  @Describe(readOpenApi)
  @Header('content-type', 'application/json; charset=utf-8')
  @Header('cache-control', 'no-cache')
  readDocument(): string {
    return this.#reference.json();
  }

  @Get('/docs')
  @Describe(readReference)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-cache')
  @Header('content-security-policy', pagePolicy)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  readPage(): string {
    return this.#reference.page();
  }
}
