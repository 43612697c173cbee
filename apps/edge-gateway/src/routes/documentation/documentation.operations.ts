import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

export const readOpenApi: Operation = {
  id: 'readOpenApi',
  tag: 'Documentation',
  summary: 'Read this description, as OpenAPI 3.1',
  answer: { status: 200, description: 'The document.', schema: z.looseObject({ openapi: z.string() }) },
};

export const readReference: Operation = {
  id: 'readReference',
  tag: 'Documentation',
  summary: 'Read this description, as a page',
  answer: { status: 200, description: 'The page.', contentType: 'text/html', schema: z.string() },
};
