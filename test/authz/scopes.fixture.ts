import type { KeyScope } from '@gateway/contracts';

/**
 * The scope that an API key needs for each operation, listed separately from the gateway's own table. The
 * test run fails if an operation accepts API keys and is missing in `neededScopes`.
 */
export const neededScopes: Readonly<Record<KeyScope, readonly string[]>> = {
  inference: [
    ...['createChatCompletion', 'createMessage', 'countMessageTokens', 'converse', 'converseStream'],
    ...['listModels', 'getModel', 'createCompletion', 'createEmbedding', 'createResponse', 'generateImage'],
    ...['editImage', 'varyImage', 'transcribeAudio', 'createSpeech', 'createModeration', 'rerank'],
    ...['readDocument', 'generateVideo', 'getVideo', 'getVideoContent'],
  ],
  read: [
    ...['listApiKeys', 'listProviders', 'getAccount', 'listRequestLog', 'exportRequestLog', 'listSessions'],
    ...['getRequestDetail', 'summarizeUsage', 'listDailyUsage', 'listKeyUsage', 'listDailyAnalyticsByKey'],
    ...['listRoutingTraces', 'getRoutingInsights', 'getRoutingCalibration', 'getRoutingPreferences'],
    ...['listRoutingModels', 'listRoutingModelStatus', 'listToolHealth', 'listRecallAlerts'],
    ...['listToolSuggestions', 'reportCache', 'listDeclaredModels'],
  ],
  manage: [
    ...['createApiKey', 'updateApiKey', 'rotateApiKey', 'setKeyToolLists', 'revokeApiKey', 'putProvider'],
    ...['deleteProvider', 'updateAccount', 'deleteAccount', 'updateRoutingPreferences'],
    ...[
      'putDeclaredModel',
      'deleteDeclaredModel',
      'toggleRoutingModel',
      'getBilling',
      'listAuditEvents',
      'exportAuditEvents',
    ],
  ],
};
