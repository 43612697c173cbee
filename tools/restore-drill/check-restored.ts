// Decrypts every credential in the restored vault's database.
// The script also looks up an API key in a restored account service.
// The script reads a CheckRequest from standard input and writes a CheckedRestore to standard output.
// Decrypted credentials never leave this process's memory.
import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { authenticateKey, credentialSecret, openCredential } from '@gateway/contracts';
import { connectMessaging, createSealingKeyPair, openSealed } from '@gateway/messaging';
import pg from 'pg';
import type { CheckedRestore, CheckRequest } from './checked-restore.ts';

const rowsPerPage = 200;
const call = { deadlineMs: 10_000 };

interface StoredRow {
  readonly id: string;
  readonly account_id: string;
  readonly provider: string;
}

const { natsUrl, user, password, vaultDatabaseUrl, apiKey } = (await json(process.stdin)) as CheckRequest;
const messaging = await connectMessaging({
  url: natsUrl,
  user,
  password,
  name: 'restore-drill',
  instanceId: `restore-drill-${process.pid}`,
});
const { publicKey, privateKey } = createSealingKeyPair();

/**
 * Returns undefined if the credential can be decrypted. If decryption fails, returns the reason for the
 * failure.
 */
async function findFault({ account_id, provider }: StoredRow): Promise<string | undefined> {
  const request = { accountId: account_id, provider, recipientPublicKey: publicKey };
  try {
    const { sealedSecret } = await messaging.call(openCredential, request, call);
    if (sealedSecret === null) return 'the credential is missing';
    credentialSecret.parse(JSON.parse(openSealed(sealedSecret, privateKey).toString('utf8')));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function openAll(): Promise<Pick<CheckedRestore, 'opened' | 'failed'>> {
  const database = new pg.Client({ connectionString: vaultDatabaseUrl });
  await database.connect();
  const failed: CheckedRestore['failed'][number][] = [];
  let opened = 0;
  const page = 'SELECT id, account_id, provider FROM credentials WHERE id > $1 ORDER BY id LIMIT $2';
  try {
    for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
      const { rows } = await database.query<StoredRow>(page, [after, rowsPerPage]);
      for (const row of rows) {
        const fault = await findFault(row);
        if (fault === undefined) opened += 1;
        else failed.push({ accountId: row.account_id, provider: row.provider, fault });
      }
      const last = rows.at(-1);
      if (last === undefined) return { opened, failed };
      after = last.id;
    }
  } finally {
    await database.end();
  }
}

async function isKnown(key: string): Promise<boolean> {
  const keySha256 = createHash('sha256').update(key).digest('hex');
  const { grant } = await messaging.call(authenticateKey, { keySha256 }, call);
  return grant !== null;
}

const checked: CheckedRestore = {
  ...(await openAll()),
  isKeyKnown: apiKey === null ? null : await isKnown(apiKey),
};
await messaging.close();
process.stdout.write(JSON.stringify(checked));
