import {
  recallAlertPage,
  recallAlertsQuery,
  toolHealthPage,
  toolHealthQuery,
  toolSuggestionPage,
  toolSuggestionsQuery,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Tool health';

export const listToolHealth: Operation = {
  id: 'listToolHealth',
  tag,
  summary: 'List how each tool fared',
  description:
    'The tools that requests offered in the last `days` days (UTC, today included), the most often offered first: how often each was forwarded and called. From the newest 1,000 requests whose tools were ranked. `description_score` starts at 100 and loses the points in `issues`: length, verb, substance, documented parameters, schema, near duplicates among the tools offered together, and use. Definitions are read when they are offered, and not stored.',
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

export const listToolSuggestions: Operation = {
  id: 'listToolSuggestions',
  tag,
  summary: 'List tools that are taken for each other, with words to tell them apart',
  description:
    'Hard negatives of the newest 1,000 requests with calls of the last `days` days (UTC, today included): tools that stood before a called one without being called, in at least three requests and a fifth of its calls, where the two definitions are alike. `expected_gain` scores the recorded decisions again as if the other no longer stood before the tool: it is the most that telling them apart can bring.',
  query: toolSuggestionsQuery,
  answer: { status: 200, description: 'A page of suggestions.', schema: toolSuggestionPage },
};
