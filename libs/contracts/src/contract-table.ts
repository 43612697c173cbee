import type { BroadcastContract, RpcContract } from './define.ts';
import { accountChanged, batchesCommitted, credentialChanged, keyChanged } from './events/broadcasts.v1.ts';
import { authenticateKey } from './rpc/authenticate-key.v1.ts';
import { compressSchemas } from './rpc/compress-schemas.v1.ts';
import { createAccount } from './rpc/create-account.v1.ts';
import {
  deleteCredential,
  forgetAccountCredentials,
  getSealingKey,
  listCredentials,
  openCredential,
  putCredential,
} from './rpc/credentials.v1.ts';
import { createKey, listKeys, revokeKey, setToolLists } from './rpc/manage-keys.v1.ts';
import { defineTools, planTools, planToolsAt } from './rpc/plan-tools.v1.ts';
import { getRequest, listRequests } from './rpc/query-requests.v1.ts';

/** Every subject of the suite. NATS users' rights are made from this table and from nothing else. */
export const contractTable: readonly (RpcContract | BroadcastContract)[] = [
  authenticateKey,
  createAccount,
  createKey,
  listKeys,
  setToolLists,
  revokeKey,
  keyChanged,
  accountChanged,
  getSealingKey,
  putCredential,
  listCredentials,
  deleteCredential,
  openCredential,
  forgetAccountCredentials,
  credentialChanged,
  planTools,
  planToolsAt,
  defineTools,
  compressSchemas,
  listRequests,
  getRequest,
  batchesCommitted,
];
