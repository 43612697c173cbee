import { Controller, Get, Header, Inject } from '@nestjs/common';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { Reference } from '../../openapi/reference.ts';
import { pagePolicy } from '../../openapi/reference.ts';
import { tokens } from '../../tokens.ts';
import { readOpenApi, readReference } from './documentation.operations.ts';

/** `GET /openapi.json` and `/docs`: what the other routes say of themselves. */
@Controller()
@AllowAccess('public')
export class DocumentationRoute {
  readonly #reference: Reference;

  constructor(@Inject(tokens.reference) reference: Reference) {
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
