import { sessionsQuery, usageSessionPage } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const listSessions: Operation = {
  id: 'listSessions',
  tag: 'Requests and usage',
  summary: 'List conversation sessions, the one that was active last first',
  description:
    'Requests that came with one `X-Svc-Session-Id`. Figures are of the requests from `from` (inclusive) to `to` (exclusive): the last 30 days unless given, 400 at most.',
  query: sessionsQuery,
  answer: { status: 200, description: 'A page of sessions.', schema: usageSessionPage },
};
