import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';
import { Reference } from '../../openapi/render-document.ts';
import { renderPolicy, sendFile } from '../../static-files/render-file.ts';
import { DOCS_FILES, type StaticFiles } from '../../static-files/static-files.ts';

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
  description:
    'The page shows `/openapi.json` with a search, code samples and a form that sends requests to this gateway.',
  answer: { status: 200, description: 'The page.', contentType: 'text/html', schema: z.string() },
  errors: ['not_found'],
};

const readDocsPage: Operation = {
  id: 'readDocsPage',
  tag: 'Documentation',
  summary: 'Read a page of the documentation',
  description:
    'The pages are the guides, the operations pages and the glossary of this release. `docs_url` of an error is the path of such a page, with the anchor of the error code.',
  params: z.object({
    id: z.string().meta({
      description: 'The path below `/docs/`, with unencoded slashes.',
      examples: ['operations/failure-modes'],
    }),
  }),
  answer: { status: 200, description: 'The page.', contentType: 'text/html', schema: z.string() },
  errors: ['not_found'],
};

/** The documentation calls no OpenID Connect issuer. */
const docsPolicy = renderPolicy(undefined);
/** The script of the API reference sets inline styles. The other limits of the policy also apply to the reference. */
const referencePolicy = docsPolicy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

/**
 * Serves the API reference at `GET /openapi.json` and `/docs`, and the pages of the documentation
 * below `/docs/`. The reference is generated from the route descriptions.
 */
@Controller()
@AllowAccess('public')
export class DocumentationRoute {
  readonly #reference: Reference;
  readonly #pages: StaticFiles;

  constructor(@Inject(Reference) reference: Reference, @Inject(DOCS_FILES) pages: StaticFiles) {
    this.#reference = reference;
    this.#pages = pages;
  }

  @Get('/openapi.json')
  @Describe(readOpenApi)
  readDocument(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    return sendFile(this.#reference.file(), docsPolicy, request, reply);
  }

  @Get('/docs')
  @Describe(readReference)
  readPage(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    return sendFile(this.#pages.find('reference.html'), referencePolicy, request, reply);
  }

  @Get('/docs/*')
  @Describe(readDocsPage)
  readDocsPage(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Buffer {
    const path = (request.params as Record<string, string>)['*'] ?? '';
    const file = this.#pages.find(path) ?? this.#pages.find(`${path}.html`);
    return sendFile(file, docsPolicy, request, reply);
  }
}
