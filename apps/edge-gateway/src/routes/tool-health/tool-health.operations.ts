import { recallAlertPage, recallAlertsQuery, toolHealthPage, toolHealthQuery } from '@gateway/contracts';
import type { Operation } from '../../http/operation.ts';

const tag = 'Tool health';

export const listToolHealth: Operation = {
  id: 'listToolHealth',
  tag,
  summary: 'List how each tool fared',
  description:
    'The tools that requests offered in the last `days` days (UTC, today included), the most often offered first: how often each was forwarded and called. From the newest 1,000 requests whose tools were ranked. What tools say of themselves is not stored, so descriptions have no score here.',
  query: toolHealthQuery,
  answer: { status: 200, description: 'A page of tools.', schema: toolHealthPage },
};

export const listRecallAlerts: Operation = {
  id: 'listRecallAlerts',
  tag,
  summary: 'List tools that were needed and not forwarded, the newest first',
  description:
    'Of the last `days` days (UTC, today included). `detected_by`: `hallucinated_call`, the model called a tool that the request offered and that was not forwarded; `recovery`, it asked for one by the gateway’s own tool; `shadow`, everything was forwarded, and the plan made beside would have left the tool out.',
  query: recallAlertsQuery,
  answer: { status: 200, description: 'A page of alerts.', schema: recallAlertPage },
};
