import { attachPerson } from '@gateway/contracts';
import { createApiKey } from '@gateway/interchange';
import {
  logOutPerson,
  signUpPerson,
  type ReplayProvider,
  type StackUnderTest,
  type TestPerson,
} from '@gateway/testing';
import { decodeJwt, type JWK } from 'jose';
import {
  connectProvider,
  createTestAccount,
  createTestKey,
  requestIdOf,
  waitForRow,
  type CreatedKey,
  type TestAccount,
} from '../e2e/account.fixture.ts';
import { edgeUrl } from '../e2e/edges.fixture.ts';
import { postChat, send } from '../e2e/http.fixture.ts';
import { plainAnswer, startProvider } from '../e2e/provider.fixture.ts';
import { connectAs, type Undo } from '../integration/stack.fixture.ts';
import { issueForeignTokens, type ForeignTokens } from './foreign-tokens.fixture.ts';

/** An account that owns one object of each type. */
export interface Party {
  readonly account: TestAccount;
  /** A user of the account. */
  readonly person: TestPerson;
  /** A second API key, used as the target of key operations. */
  readonly spareKey: CreatedKey;
  readonly requestId: string;
  /** The id of a model that the account declares for the provider `vllm`. */
  readonly declaredModel: string;
  /** The name of a provider that only one of the two accounts has connected. */
  readonly provider: string;
  /** The name of a model from the account's provider. */
  readonly model: string;
  /** Strings that occur only in the data of one account. */
  readonly marks: readonly string[];
}

export interface World {
  readonly stack: StackUnderTest;
  readonly baseUrl: string;
  readonly owner: Party;
  readonly other: Party;
  /** The test provider that serves as every connected provider. */
  readonly provider: ReplayProvider;
  readonly revokedKey: string;
  readonly expiredKey: string;
  /** The token of a login session that was logged out. */
  readonly endedSession: string;
  /** A public key with which the embedded identity provider's session tokens can be verified. */
  readonly sessionKey: JWK;
  /** The URL of a gateway that accepts login sessions from an external issuer. */
  readonly issuer: { readonly baseUrl: string };
  readonly foreignTokens: ForeignTokens;
}

/**
 * The lifetime of an expiring API key in milliseconds. The gateway must create the API key before the expiry,
 * even on a busy machine.
 */
const expiresAfterMs = 6_000;

/** Creates an API key for `account` and revokes the API key immediately. */
export async function createRevokedKey(baseUrl: string, { apiKey }: TestAccount): Promise<CreatedKey> {
  const created = await createTestKey(baseUrl, apiKey, { name: 'revoked' });
  const path = `/v1/account/keys/${created.id}`;
  const answer = await send(baseUrl, { method: 'DELETE', path, key: apiKey });
  if (answer.status !== 200) throw new Error(`the key was not revoked: ${answer.text}`);
  return created;
}

/**
 * Creates the accounts and credentials of the authorization tests.
 * @param undo collects cleanup functions for the end of the run.
 */
export async function buildWorld(stack: StackUnderTest, undo: Undo[]): Promise<World> {
  const { baseUrl } = stack;
  const provider = await startProvider();
  undo.push(() => provider.close());
  const foreignTokens = await issueForeignTokens();
  undo.push(() => foreignTokens.close());
  provider.setControls(plainAnswer);
  const providerUrl = `${provider.url}/v1`;
  const owner = await buildParty(stack, providerUrl, ['openai', 'gpt-4o-mini'], 'owner');
  const other = await buildParty(stack, providerUrl, ['mistral', 'mistral-small-latest'], 'other');
  const revoked = await createRevokedKey(baseUrl, owner.account);
  const expiresAt = Date.now() + expiresAfterMs;
  const expired = await createTestKey(baseUrl, owner.account.apiKey, {
    name: 'expired',
    expires_at: new Date(expiresAt).toISOString(),
  });
  await new Promise((resolve) => setTimeout(resolve, expiresAt + 100 - Date.now()));
  return {
    stack,
    baseUrl,
    owner,
    other,
    provider,
    revokedKey: revoked.key,
    expiredKey: expired.key,
    endedSession: await endSession(baseUrl),
    sessionKey: await readSessionKey(baseUrl),
    issuer: { baseUrl: edgeUrl(stack, 'tight') },
    foreignTokens,
  };
}

async function endSession(baseUrl: string): Promise<string> {
  const person = await signUpPerson(baseUrl);
  await logOutPerson(baseUrl, person);
  return person.accessToken;
}

async function readSessionKey(baseUrl: string): Promise<JWK> {
  const { keys } = (await send(baseUrl, { path: '/.well-known/jwks.json' })).json() as { keys: JWK[] };
  if (!keys[0]) throw new Error('the embedded identity provider has no key');
  return keys[0];
}

/** Signs up a user and attaches the user to an existing account. */
async function signUpFor(stack: StackUnderTest, { accountId }: TestAccount): Promise<TestPerson> {
  const person = await signUpPerson(stack.baseUrl, { register: false });
  const { iss: issuer = '', sub: subject = '' } = decodeJwt(person.accessToken);
  const messaging = await connectAs(stack, 'operator');
  try {
    await messaging.call(attachPerson, { accountId, issuer, subject });
  } finally {
    await messaging.close();
  }
  return { ...person, accountId };
}

/** The last characters of each credential. Encoded data cannot contain these characters. */
const hintEnds = { owner: '~^o^', other: '~^x^' } as const;

async function buildParty(
  stack: StackUnderTest,
  providerUrl: string,
  [provider, model]: readonly [string, string],
  name: keyof typeof hintEnds,
): Promise<Party> {
  const { baseUrl } = stack;
  const account = await createTestAccount(stack);
  const person = await signUpFor(stack, account);
  // A credential hint is the last four characters of the credential.
  // Four letters and digits would match another token by chance about once in a thousand runs.
  const credential = `sk-upstream-${createApiKey().key.slice(7, 40)}${hintEnds[name]}`;
  await connectProvider(baseUrl, account.apiKey, { provider, api_key: credential, base_url: providerUrl });
  const declaredModel = `${name}-model`;
  await declareModel(baseUrl, account.apiKey, declaredModel);
  const spareKey = await createTestKey(baseUrl, account.apiKey, { name: `${name}-spare` });
  const answer = await postChat(baseUrl, account.apiKey, {
    model: `${provider}/${model}`,
    messages: [{ role: 'user', content: 'Hello!' }],
  });
  if (answer.status !== 200) throw new Error(`the chat request failed: ${answer.text}`);
  const requestId = requestIdOf(answer);
  await waitForRow(baseUrl, account.apiKey, requestId);
  return {
    account,
    person,
    spareKey,
    requestId,
    declaredModel,
    provider,
    model,
    marks: [account.accountId, account.keyId, spareKey.id, requestId, `${name}-spare`, credential.slice(-4)],
  };
}

/** Declares a model of the provider `vllm`, without any facts about the model. Returns the model's id. */
export async function declareModel(baseUrl: string, key: string, id: string): Promise<string> {
  const path = `/v1/account/models/vllm/${id}`;
  const answer = await send(baseUrl, { method: 'PUT', path, key, body: {} });
  if (answer.status !== 200) throw new Error(`the model was not declared: ${answer.text}`);
  return id;
}
