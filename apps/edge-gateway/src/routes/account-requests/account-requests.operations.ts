import { requestDetail, requestLogPage, requestLogQuery } from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../http/operation.ts';

export const listRequestLog: Operation = {
  id: 'listRequestLog',
  tag: 'Requests and usage',
  summary: 'List what was requested, the newest first',
  description:
    'Filters narrow the list together. `from` is inclusive, `to` is not. With a filter `total` counts up to 100,000.',
  query: requestLogQuery,
  answer: { status: 200, description: 'A page of the log.', schema: requestLogPage },
};

export const getRequestDetail: Operation = {
  id: 'getRequestDetail',
  tag: 'Requests and usage',
  summary: 'Read one request, with why its tools were kept or left out',
  params: z.object({ request_id: z.uuid().meta({ description: 'The `X-Request-ID` of its answer.' }) }),
  answer: { status: 200, description: 'The request.', schema: requestDetail },
};
