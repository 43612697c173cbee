import {
  account,
  accountDeletion,
  accountPolicy,
  apiKey,
  createdApiKey,
  providerConnection,
  requestDetail,
  requestLogEntry,
  routingModel,
  routingModelStatus,
  routingPreferences,
  session,
} from '@gateway/contracts';

/** Schemas that stand in the document under a name, since several operations answer with them; others stand where they are used. */
export const namedSchemas = {
  Account: account,
  AccountDeletion: accountDeletion,
  AccountPolicy: accountPolicy,
  ApiKey: apiKey,
  CreatedApiKey: createdApiKey,
  Provider: providerConnection,
  RequestDetail: requestDetail,
  RequestLogEntry: requestLogEntry,
  RoutingModel: routingModel,
  RoutingModelStatus: routingModelStatus,
  RoutingPreferences: routingPreferences,
  Session: session,
} as const;
