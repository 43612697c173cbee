import { routingPreferences, updatePreferencesBody } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const readPreferences: Operation = {
  id: 'getRoutingPreferences',
  tag: 'Routing',
  summary: 'Read the routing preferences',
  answer: { status: 200, description: 'The preferences.', schema: routingPreferences },
};

export const changePreferences: Operation = {
  id: 'updateRoutingPreferences',
  tag: 'Routing',
  summary: 'Change the routing preferences',
  description:
    '`mode` is how `svc/auto` chooses: `auto` by the complexity of the task, or as one of the other three. A partial update, of `pruning` and `compression` too: what is left out stays as it is. `fallbacks` are models, `<provider>/<model>` or a bare name of the catalogue. With `on_budget_exhausted: "pass"` a request goes out unoptimized once a saved-token budget is spent; with `"reject"` it is a 402.',
  body: { schema: updatePreferencesBody },
  answer: { status: 200, description: 'All of the preferences as they are now.', schema: routingPreferences },
};
