import type { BroadcastContract, RpcContract } from './define.ts';
import {
  accountChanged,
  backendChanged,
  batchesCommitted,
  credentialChanged,
  keyChanged,
  sessionChanged,
} from './events/broadcasts.v1.ts';
import { deleteAccount, forgetAccountRequests, getAccountDeletion } from './rpc/delete-account.v1.ts';
import { assessTools } from './rpc/assess-tools.v1.ts';
import { authenticateKey } from './rpc/authenticate-key.v1.ts';
import {
  createCheckout,
  describeBilling,
  forgetAccountBilling,
  ledgerCommitted,
  openCustomerPortal,
  receiveStripeEvent,
  syncCheckout,
  syncSubscription,
} from './rpc/billing.v1.ts';
import { compressBlocks, compressBlocksAt } from './rpc/compress-blocks.v1.ts';
import { compressSchemas } from './rpc/compress-schemas.v1.ts';
import { createAccount } from './rpc/create-account.v1.ts';
import {
  deleteCredential,
  forgetAccountCredentials,
  getSealingKey,
  listCredentials,
  openCredential,
  putCredential,
  reportCredential,
} from './rpc/credentials.v1.ts';
import {
  changePassword,
  getIdentitySealingKey,
  getSessionKeys,
  logIn,
  logOut,
  refreshSession,
  signUp,
} from './rpc/identity.v1.ts';
import { attachPerson, createPlaygroundKey, registerAccount } from './rpc/register-account.v1.ts';
import { resolveSession } from './rpc/resolve-session.v1.ts';
import { embedTools } from './rpc/embed-tools.v1.ts';
import { getAccount, noteCredentialChange, updateAccount } from './rpc/manage-account.v1.ts';
import { createKey, listKeys, revokeKey, rotateKey, setToolLists, updateKey } from './rpc/manage-keys.v1.ts';
import {
  getPreferences,
  listDisabledModels,
  toggleModel,
  updatePreferences,
} from './rpc/manage-routing.v1.ts';
import { defineTools, planTools, planToolsAt } from './rpc/plan-tools.v1.ts';
import { exportRequests, getRequest, listRequests } from './rpc/query-requests.v1.ts';
import {
  describeCalibration,
  listRecallAlerts,
  listRoutingTraces,
  listToolHealth,
  listToolSuggestions,
  observeModels,
} from './rpc/query-routing.v1.ts';
import {
  listDailyAnalytics,
  listDailyUsage,
  listKeyUsage,
  listSessions,
  summarizeUsage,
} from './rpc/query-usage.v1.ts';
import { readTokenCounts } from './rpc/read-token-counts.v1.ts';
import { recallOriginals } from './rpc/recall-originals.v1.ts';
import { readContent, storeContent } from './rpc/request-content.v1.ts';
import { activateKey, retireKeys, rewrapCredentials } from './rpc/rotate-keys.v1.ts';
import { getRoutingPolicy, routingPolicyChanged } from './rpc/routing-policy.v1.ts';

/** Every subject of the suite. NATS users' rights are made from this table and from nothing else. */
export const contractTable: readonly (RpcContract | BroadcastContract)[] = [
  authenticateKey,
  resolveSession,
  sessionChanged,
  getSessionKeys,
  getIdentitySealingKey,
  signUp,
  logIn,
  refreshSession,
  logOut,
  changePassword,
  registerAccount,
  attachPerson,
  createPlaygroundKey,
  createAccount,
  createKey,
  listKeys,
  updateKey,
  rotateKey,
  setToolLists,
  revokeKey,
  getAccount,
  updateAccount,
  noteCredentialChange,
  deleteAccount,
  getAccountDeletion,
  getPreferences,
  updatePreferences,
  listDisabledModels,
  toggleModel,
  keyChanged,
  accountChanged,
  getSealingKey,
  putCredential,
  listCredentials,
  deleteCredential,
  openCredential,
  forgetAccountCredentials,
  reportCredential,
  activateKey,
  rewrapCredentials,
  retireKeys,
  credentialChanged,
  planTools,
  planToolsAt,
  defineTools,
  embedTools,
  compressBlocks,
  compressBlocksAt,
  compressSchemas,
  recallOriginals,
  readTokenCounts,
  listRequests,
  exportRequests,
  getRequest,
  storeContent,
  readContent,
  summarizeUsage,
  listDailyUsage,
  listKeyUsage,
  listDailyAnalytics,
  listSessions,
  listRoutingTraces,
  observeModels,
  describeCalibration,
  listToolHealth,
  listToolSuggestions,
  assessTools,
  listRecallAlerts,
  forgetAccountRequests,
  backendChanged,
  batchesCommitted,
  getRoutingPolicy,
  routingPolicyChanged,
  describeBilling,
  createCheckout,
  openCustomerPortal,
  syncCheckout,
  syncSubscription,
  receiveStripeEvent,
  forgetAccountBilling,
  ledgerCommitted,
];
