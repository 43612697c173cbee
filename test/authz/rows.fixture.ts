import { signUpPerson, type TestPerson } from '@gateway/testing';
import { accountDeletion } from '@gateway/contracts';
import { uuidv7 } from 'uuidv7';
import { connectProvider, createTestKey } from '../e2e/account.fixture.ts';
import { send } from '../e2e/http.fixture.ts';
import { declaredDeletions, declaredTargets, pageTargets } from './declared-rows.fixture.ts';
import { createRevokedKey, type Party, type World } from './world.fixture.ts';

/** The relation between the caller and the objects in the path. */
export const targetKinds = ['own', 'foreign', 'guessed', 'deleted'] as const;
export type TargetKind = (typeof targetKinds)[number];
type Values = Readonly<Record<string, string>>;
type Choose<T> = (world: World) => T | Promise<T>;

/** The kind of credential that an authorized caller uses. */
export type CredentialKind = 'key' | 'session';

export interface Caller {
  readonly headers: Readonly<Record<string, string>>;
  /** The user, or null if the caller uses an API key. */
  readonly person: TestPerson | null;
}

/** The data that the authorization tests need about a route, in addition to the route's description. */
export interface AuthzRow {
  /** Returns a valid request body, so that only permissions decide the outcome. */
  readonly body?: (world: World, caller: Caller | undefined) => unknown;
  /**
   * The path parameters for each kind of target. `targets` is absent for paths without parameters. A successful
   * call may delete or change the `own` target.
   */
  readonly targets?: Readonly<Record<TargetKind, Choose<Values>>>;
  /** The outcome when the target belongs to another caller. The default is `404 not_found`. */
  readonly notOwn?: string;
  /**
   * The outcome of an authorized call if the test environment prevents success. By default, a call must have
   * the status in the route's description.
   */
  readonly ownOutcome?: string;
  /** True if a successful call ends the caller's access or changes the credentials of later callers. */
  readonly usesUp?: boolean;
}

const hello = { messages: [{ role: 'user', content: 'Hello!' }] };
const converseHello = { messages: [{ role: 'user', content: [{ text: 'Hello!' }] }] };

const keyTargets: NonNullable<AuthzRow['targets']> = {
  own: async ({ baseUrl, owner }) => ({
    key_id: (await createTestKey(baseUrl, owner.account.apiKey, { name: 'target' })).id,
  }),
  foreign: ({ other }) => ({ key_id: other.spareKey.id }),
  guessed: () => ({ key_id: uuidv7() }),
  deleted: async ({ baseUrl, owner }) => ({ key_id: (await createRevokedKey(baseUrl, owner.account)).id }),
};

/**
 * An API key may rotate another API key only if the other key has no additional scopes. The test rotates a
 * key with only the scope `manage`.
 */
const rotationTargets: AuthzRow['targets'] = {
  ...keyTargets,
  own: async ({ baseUrl, owner }) => ({
    key_id: (await createTestKey(baseUrl, owner.account.apiKey, { name: 'target', scopes: ['manage'] })).id,
  }),
};

const modelTargets: NonNullable<AuthzRow['targets']> = {
  own: ({ owner }) => ({ id: nameModel(owner) }),
  foreign: ({ other }) => ({ id: nameModel(other) }),
  guessed: () => ({ id: 'xai/grok-nobody' }),
  deleted: async (world) => {
    await connectAndDisconnect(world, 'groq');
    return { id: 'groq/llama-3.3-70b-versatile' };
  },
};

/**
 * A video's id names the provider of the video. An account that has connected the video's provider can access
 * the video.
 */
const videoTargets: NonNullable<AuthzRow['targets']> = {
  own: () => ({ id: 'video_1' }),
  foreign: ({ other }) => ({ id: `${other.provider}/video_1` }),
  guessed: () => ({ id: 'xai/video_1' }),
  deleted: async (world) => {
    await connectAndDisconnect(world, 'groq');
    return { id: 'groq/video_1' };
  },
};

const providerTargets: AuthzRow['targets'] = {
  own: async ({ baseUrl, owner, provider }) => {
    await connectProvider(baseUrl, owner.account.apiKey, {
      provider: 'groq',
      api_key: 'gsk-upstream-0123456789',
      base_url: provider.url,
    });
    return { provider: 'groq' };
  },
  foreign: ({ other }) => ({ provider: other.provider }),
  guessed: () => ({ provider: 'nobody' }),
  deleted: async (world) => {
    await connectAndDisconnect(world, 'deepseek');
    return { provider: 'deepseek' };
  },
};

const requestTargets: AuthzRow['targets'] = {
  own: ({ owner }) => ({ request_id: owner.requestId }),
  foreign: ({ other }) => ({ request_id: other.requestId }),
  guessed: () => ({ request_id: uuidv7() }),
  deleted: ({ owner }) => ({ request_id: owner.requestId.replace(/^......../, '01900000') }),
};

/** A deletion receipt contains no name. A caller needs only the receipt's id to read the receipt. */
const deletionTargets: AuthzRow['targets'] = {
  own: async ({ baseUrl }) => {
    const { accessToken } = await signUpPerson(baseUrl);
    const answer = await send(baseUrl, { method: 'DELETE', path: '/v1/account/me', key: accessToken });
    return { deletion_id: accountDeletion.parse(answer.json()).id };
  },
  foreign: () => ({ deletion_id: uuidv7() }),
  guessed: () => ({ deletion_id: uuidv7() }),
  deleted: () => ({ deletion_id: uuidv7() }),
};

const refreshTokenOfSomebody = async ({ baseUrl }: World): Promise<object> => ({
  refresh_token: (await signUpPerson(baseUrl)).refreshToken,
});

/** A proxied endpoint that the connected provider supports. */
const proxied = (fields: object): AuthzRow => ({
  body: ({ owner }) => ({ model: nameModel(owner), ...fields }),
});
/**
 * A proxied endpoint that the provider does not support. The gateway checks access before it reports that the
 * provider lacks the endpoint.
 */
const notProxied: AuthzRow = { ...proxied({}), ownOutcome: '400 endpoint_not_supported' };

/**
 * The stack is self-hosted, so billing is not configured. The gateway checks access before the gateway checks
 * the billing configuration.
 */
const withoutStripe = { ownOutcome: '409 billing_not_configured' } as const;

/** The authorization test data of each API operation. The test run fails if a route has no test data. */
export const rows: Readonly<Record<string, AuthzRow>> = {
  createChatCompletion: { body: ({ owner }) => ({ model: nameModel(owner), ...hello }) },
  createMessage: { body: ({ owner }) => ({ model: nameModel(owner), max_tokens: 16, ...hello }) },
  countMessageTokens: { body: ({ owner }) => ({ model: nameModel(owner), ...hello }) },
  converse: { body: () => converseHello, targets: modelTargets, notOwn: '400|404' },
  converseStream: { body: () => converseHello, targets: modelTargets, notOwn: '400|404' },
  listModels: {},
  getModel: { targets: modelTargets, notOwn: '404 model_not_found' },
  listApiKeys: {},
  createApiKey: { body: () => ({ name: 'made by the matrix' }) },
  setKeyToolLists: { body: () => ({ denied_tools: ['erase'] }), targets: keyTargets },
  updateApiKey: { body: () => ({ name: 'renamed by the matrix' }), targets: keyTargets },
  rotateApiKey: { body: () => ({}), targets: rotationTargets },
  revokeApiKey: { targets: keyTargets },
  listProviders: {},
  putProvider: {
    body: ({ provider }) => ({
      provider: 'together',
      api_key: 'tgp-upstream-0123456789',
      base_url: provider.url,
    }),
  },
  deleteProvider: { targets: providerTargets },
  listRequestLog: {},
  exportRequestLog: {},
  listAuditEvents: {},
  exportAuditEvents: {},
  getRequestDetail: { targets: requestTargets },
  summarizeUsage: {},
  listDailyUsage: {},
  listKeyUsage: {},
  listDailyAnalytics: {},
  listDailyAnalyticsByKey: {},
  reportCache: {},
  listSessions: {},
  listRoutingTraces: {},
  getRoutingInsights: {},
  getRoutingCalibration: {},
  listToolHealth: {},
  listRecallAlerts: {},
  listToolSuggestions: {},
  getAccount: {},
  updateAccount: { body: () => ({ name: 'renamed by the matrix' }) },
  getRoutingPreferences: {},
  updateRoutingPreferences: { body: () => ({ mode: 'cheap' }) },
  listRoutingModels: {},
  listRoutingModelStatus: {},
  toggleRoutingModel: {
    body: ({ owner }) => ({ provider: owner.provider, model_id: owner.model, is_enabled: true }),
  },
  listDeclaredModels: {},
  // Each account can declare models of any known provider.
  putDeclaredModel: { body: () => ({}), targets: declaredTargets, notOwn: '200|400 invalid_field' },
  deleteDeclaredModel: { targets: declaredDeletions },
  getBilling: {},
  createCheckout: {
    body: () => ({
      plan_id: 'pro',
      success_url: 'https://gateway.example/paid',
      cancel_url: 'https://gateway.example/',
    }),
    ...withoutStripe,
  },
  openCustomerPortal: { body: () => ({ return_url: 'https://gateway.example/' }), ...withoutStripe },
  syncCheckout: { body: () => ({ session_id: 'cs_test_0123456789' }), ...withoutStripe },
  syncSubscription: { body: () => ({}), ...withoutStripe },
  // Only Stripe can sign a webhook request.
  receiveStripeEvent: {
    body: () => ({ id: 'evt_1', type: 'invoice.paid' }),
    ownOutcome: '400 invalid_webhook_signature',
  },
  registerAccount: { body: () => ({}) },
  createPlaygroundKey: {},
  changePassword: {
    body: (_world, caller) => ({
      current_password: caller?.person?.password ?? 'not the password',
      new_password: 'made by the matrix 0123456789',
    }),
    usesUp: true,
  },
  signUp: {
    body: () => ({
      email: `${uuidv7()}@example.com`,
      password: 'made by the matrix',
      refresh_token_in: 'body',
    }),
  },
  logIn: {
    body: ({ owner }) => ({ email: owner.person.email, password: owner.person.password }),
  },
  // The stack of the authorization tests has no mail server.
  forgotPassword: {
    body: ({ owner }) => ({ email: owner.person.email }),
    ownOutcome: '409 mail_not_configured',
  },
  resetPassword: {
    body: () => ({ token: `mt-svc-${'A'.repeat(43)}`, new_password: 'made by the matrix 0123456789' }),
    ownOutcome: '400 invalid_mail_token',
  },
  verifyEmail: {
    body: () => ({ token: `mt-svc-${'A'.repeat(43)}` }),
    ownOutcome: '400 invalid_mail_token',
  },
  resendVerification: { ownOutcome: '409 mail_not_configured' },
  refreshSession: { body: refreshTokenOfSomebody },
  logOut: { body: refreshTokenOfSomebody },
  getSessionKeys: {},
  deleteAccount: { usesUp: true },
  getAccountDeletion: { targets: deletionTargets },
  createCompletion: proxied({ prompt: 'Hello' }),
  createEmbedding: proxied({ input: 'Hello' }),
  createResponse: proxied({ input: 'Hello' }),
  generateImage: proxied({ prompt: 'A cat' }),
  editImage: proxied({ prompt: 'A cat' }),
  varyImage: proxied({}),
  transcribeAudio: proxied({}),
  createSpeech: proxied({ input: 'Hello', voice: 'alloy' }),
  createModeration: proxied({ input: 'Hello' }),
  rerank: notProxied,
  readDocument: notProxied,
  generateVideo: proxied({ prompt: 'A cat' }),
  getVideo: { targets: videoTargets, notOwn: '400 provider_not_connected' },
  getVideoContent: { targets: videoTargets, notOwn: '400 provider_not_connected' },
  readOpenApi: {},
  readReference: {},
  readDocsPage: { targets: pageTargets('operations/failure-modes') },
  readLiveness: {},
  readHello: {},
  readReadiness: {},
  goToDashboard: {},
  goToSignIn: {},
  openDashboard: {},
  readDashboardSettings: {},
  readDashboardFile: { targets: pageTargets('welcome') },
};

export function nameModel({ provider, model }: Party): string {
  return `${provider}/${model}`;
}

async function connectAndDisconnect(
  { baseUrl, owner: { account }, provider: { url } }: World,
  provider: string,
): Promise<void> {
  await connectProvider(baseUrl, account.apiKey, {
    provider,
    api_key: 'sk-upstream-0123456789',
    base_url: url,
  });
  const path = `/v1/account/providers/${provider}`;
  const answer = await send(baseUrl, { method: 'DELETE', path, key: account.apiKey });
  if (answer.status !== 200) throw new Error(`the provider was not disconnected: ${answer.text}`);
}
