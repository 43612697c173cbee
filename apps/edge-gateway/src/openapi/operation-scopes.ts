import type { KeyScope } from '@gateway/contracts';
import { pipelineScope } from '../grants/grant-cache.ts';
import type { RouteRow } from './route-table.ts';

/**
 * The scope that each operation requires from an API key. Users that authenticate with a session token need no
 * scope. Operations that accept no API key are omitted. An operation with the scope `read` returns no secrets and
 * makes no changes. All operations that change the account need the scope `manage`.
 */
const operationScopes: ReadonlyMap<string, KeyScope> = new Map(
  Object.entries({
    inference: [
      ...['createChatCompletion', 'createMessage', 'countMessageTokens', 'converse', 'converseStream'],
      ...['createCompletion', 'createEmbedding', 'createResponse', 'createModeration', 'createSpeech'],
      ...['generateImage', 'editImage', 'varyImage', 'transcribeAudio', 'rerank', 'readDocument'],
      ...['generateVideo', 'getVideo', 'getVideoContent', 'listModels', 'getModel'],
    ],
    read: [
      ...['getAccount', 'listApiKeys', 'listProviders', 'getRoutingPreferences', 'listRoutingModels'],
      ...['listRoutingModelStatus', 'listRoutingTraces', 'getRoutingInsights', 'getRoutingCalibration'],
      ...['listRequestLog', 'getRequestDetail', 'exportRequestLog', 'listSessions', 'summarizeUsage'],
      ...['reportCache', 'listDeclaredModels'],
      ...['listDailyUsage', 'listKeyUsage', 'listDailyAnalyticsByKey', 'listToolHealth'],
      ...['listRecallAlerts', 'listToolSuggestions'],
    ],
    manage: [
      ...['createApiKey', 'updateApiKey', 'rotateApiKey', 'setKeyToolLists', 'revokeApiKey'],
      ...['putProvider', 'deleteProvider', 'updateAccount', 'deleteAccount', 'getBilling'],
      ...[
        'updateRoutingPreferences',
        'toggleRoutingModel',
        'putDeclaredModel',
        'deleteDeclaredModel',
        'listAuditEvents',
        'exportAuditEvents',
      ],
    ],
  } satisfies Record<KeyScope, readonly string[]>).flatMap(([scope, operations]) =>
    operations.map((operation) => [operation, scope as KeyScope] as const),
  ),
);

/**
 * Returns the scope that an API key needs for an operation. Returns undefined if API keys may not call the
 * operation.
 */
export function scopeOf(operationId: string | undefined): KeyScope | undefined {
  return operationId === undefined ? undefined : operationScopes.get(operationId);
}

/**
 * Checks that the table of scopes has exactly the operations that accept API keys. The gateway performs this
 * check during startup.
 * @throws Error with the name of each route without a scope, and of each table entry without a route
 */
export function checkScopes(routes: readonly RouteRow[]): void {
  const problems = routes.flatMap(({ name, access, operation }) => {
    const scope = scopeOf(operation?.id);
    const acceptsKeys = access !== undefined && access !== 'public' && access !== 'session';
    if (acceptsKeys && scope === undefined) return [`${name} accepts API keys and has no scope`];
    if (!acceptsKeys && scope !== undefined) return [`${name} accepts no API key and has a scope`];
    if (access === 'pipeline' && scope !== pipelineScope) return [`${name} needs the scope ${pipelineScope}`];
    return [];
  });
  const known = new Set(routes.map(({ operation }) => operation?.id));
  const stale = [...operationScopes.keys()]
    .filter((id) => !known.has(id))
    .map((id) => `no route is named ${id}`);
  if (problems.length + stale.length === 0) return;
  throw new Error(`operation-scopes.ts does not match the routes: ${[...problems, ...stale].join('; ')}`);
}
