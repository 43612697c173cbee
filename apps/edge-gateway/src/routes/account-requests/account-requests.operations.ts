import { requestDetail, requestExportQuery, requestLogPage, requestLogQuery } from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

export const listRequestLog: Operation = {
  id: 'listRequestLog',
  tag: 'Requests and usage',
  summary: 'List what was requested, the newest first',
  description:
    'Filters narrow the list together. `from` is inclusive, `to` is not. With a filter `total` counts up to 100,000.',
  query: requestLogQuery,
  answer: { status: 200, description: 'A page of the log.', schema: requestLogPage },
};

export const exportRequestLog: Operation = {
  id: 'exportRequestLog',
  tag: 'Requests and usage',
  summary: 'Export what was requested, the newest first, as CSV or JSON lines',
  description:
    'The filters of the list; a million requests at most. `format=csv` (RFC 4180, with a line of names) has a column for each figure, `format=jsonl` the entries of the list, one a line. An export that breaks off ends without its last chunk.',
  query: requestExportQuery,
  answer: { status: 200, description: 'The export.', contentType: 'text/csv', schema: z.string() },
};

export const getRequestDetail: Operation = {
  id: 'getRequestDetail',
  tag: 'Requests and usage',
  summary: 'Read one request, with why its tools were kept or left out',
  params: z.object({ request_id: z.uuid().meta({ description: 'The `X-Request-ID` of its answer.' }) }),
  answer: { status: 200, description: 'The request.', schema: requestDetail },
};
