import type { Messaging } from '@gateway/messaging';
import { startStack } from '@gateway/testing';
import pg from 'pg';
import {
  createAccountDatabase,
  type AccountDatabase,
} from '../../../apps/account/src/persistence/account-database.ts';
import { connectAs, type Undo } from '../stack.fixture.ts';

/** A running account service, its database, and messaging clients. */
export interface AccountService {
  readonly edge: Messaging;
  readonly operator: Messaging;
  readonly database: AccountDatabase;
  /** A connection pool that runs SQL as the database user of the account service. */
  readonly pool: pg.Pool;
}

/**
 * Starts the account service.
 * @param undo collects the steps that stop the service and close the connections
 */
export async function openAccountService(undo: Undo[]): Promise<AccountService> {
  const stack = await startStack({ apps: ['account'] });
  undo.push(() => stack.stop());
  const operator = await connectAs(stack, 'operator');
  undo.push(() => operator.close());
  const edge = await connectAs(stack, 'edge-gateway');
  undo.push(() => edge.close());
  const url = stack.dev.postgres.account;
  const database = createAccountDatabase({ url });
  undo.push(() => database.close());
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  undo.push(() => pool.end());
  return { edge, operator, database, pool };
}
