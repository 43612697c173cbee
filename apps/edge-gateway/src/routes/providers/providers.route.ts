import {
  deleteCredential,
  getSealingKey,
  putCredential,
  putProviderBody,
  type CredentialCheckResult,
  type CredentialSummary,
  type ProviderConnection,
} from '@gateway/contracts';
import { explainUnknownProvider } from '../../request/find-nearest.ts';
import { GatewayError, invalidField } from '@gateway/errors';
import { seal, type Messaging } from '@gateway/messaging';
import {
  findProvider,
  formatsOf,
  providerNames,
  resolveConnection,
  type EgressGuard,
  type Provider,
  type SavedConnection,
} from '@gateway/providers';
import { Controller, Delete, Get, Inject, Param, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { EGRESS_GUARD, MESSAGING } from '../../access/tokens.ts';
import { CONNECTIONS, type Connections } from '../../connections/connections.ts';
import { verifyKeys } from '../../connections/verify-credential.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { readJson } from '../../request/read-body.ts';
import { chooseAdditionalKeys, renderConnection } from './provider-connection.ts';
import { deleteProvider, listProviders, putProvider } from './providers.operations.ts';

interface CheckedCredential extends SavedConnection {
  readonly additionalKeys: readonly string[];
  readonly check: CredentialCheckResult;
}

/**
 * Serves `/v1/account/providers`, with which an account connects providers. The routes store provider credentials
 * and never return them.
 */
@Controller('/v1/account/providers')
@AllowAccess('api-key-or-session')
export class ProvidersRoute {
  readonly #messaging: Messaging;
  readonly #connections: Connections;
  readonly #egressGuard: EgressGuard;
  readonly #services: Pick<PipelineServices, 'settings' | 'upstream'>;

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(CONNECTIONS) connections: Connections,
    @Inject(EGRESS_GUARD) egressGuard: EgressGuard,
    @Inject(PIPELINE_SERVICES) services: PipelineServices,
  ) {
    this.#messaging = messaging;
    this.#connections = connections;
    this.#egressGuard = egressGuard;
    this.#services = services;
  }

  @Get()
  @Describe(listProviders)
  async list(@FromCaller() caller: AccountCaller): Promise<{ object: 'list'; data: ProviderConnection[] }> {
    const stored = new Map(
      (await this.#connections.list(caller.accountId)).map((entry) => [entry.provider, entry]),
    );
    const providers = providerNames.map(findProvider).filter((provider) => provider !== undefined);
    return {
      object: 'list',
      data: providers.map((provider) => this.#render(provider, stored.get(provider.name))),
    };
  }

  @Put()
  @Describe(putProvider)
  async put(
    @FromCaller() caller: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<ProviderConnection> {
    const body = await readJson(request, putProviderBody);
    const provider = requireProvider(body.provider);
    const saved = resolveConnection(provider, body);
    if (saved.baseUrl !== null) await this.#checkAddress(saved.baseUrl);
    const additionalKeys = chooseAdditionalKeys(provider, body);
    const check = await verifyKeys(
      { provider, credential: saved.credential === '' ? null : saved.credential, baseUrl: saved.baseUrl },
      additionalKeys,
      this.#services.upstream,
      request.headers['cdn-loop'],
    );
    const credential = await this.#store(caller, provider, { ...saved, additionalKeys, check });
    return this.#render(provider, credential);
  }

  @Delete('/:provider')
  @Describe(deleteProvider)
  async remove(
    @FromCaller() caller: AccountCaller,
    @Param('provider') name: string,
  ): Promise<{ provider: string; object: 'provider.deleted'; deleted: true }> {
    const { accountId, actor } = caller;
    const request = { accountId, actor, provider: name };
    // The gateway skips the lookup if the text cannot be a provider name.
    const isName = name.length <= 64 && /^[\x21-\x7e]+$/.test(name);
    const { deleted } = isName ? await this.#messaging.call(deleteCredential, request) : { deleted: false };
    if (!deleted)
      throw new GatewayError('not_found', { message: `The provider "${name}" has no stored credential.` });
    return { provider: name, object: 'provider.deleted', deleted: true };
  }

  /**
   * Checks the provider's address against the egress guard.
   * @throws GatewayError `egress_denied` if the egress guard rejects the address, or `invalid_field` for an
   * address of the gateway itself
   */
  async #checkAddress(baseUrl: string): Promise<void> {
    if (await this.#egressGuard.isOwn(baseUrl))
      throw invalidField('base_url', 'the address of the provider, not an address of this gateway');
    this.#egressGuard.checkUrl(baseUrl);
  }

  /**
   * Stores a provider credential. If the first attempt fails, the function tries once more. The vault may
   * rotate its key or lose a replica between two calls. Writing the same credential twice has no further effect.
   */
  async #store(
    { accountId, actor }: AccountCaller,
    { name: provider }: Provider,
    { credential: apiKey, baseUrl, additionalKeys, check }: CheckedCredential,
  ): Promise<CredentialSummary> {
    const store = async () => {
      const { publicKey } = await this.#messaging.call(getSealingKey, {});
      const sealedSecret = seal(Buffer.from(JSON.stringify({ apiKey, additionalKeys })), publicKey);
      const call = { accountId, actor, provider, baseUrl, sealedSecret, check };
      return this.#messaging.call(putCredential, call);
    };
    const { credential } = await store().catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'service_unavailable') return store();
      throw error;
    });
    return credential;
  }

  #render(provider: Provider, credential: CredentialSummary | undefined): ProviderConnection {
    return renderConnection({
      provider,
      formats: formatsOf(provider),
      credential,
      sandboxUrl: this.#services.settings.sandboxUrl,
    });
  }
}

function requireProvider(name: string): Provider {
  const provider = findProvider(name);
  if (provider && provider.auth.kind !== 'none') return provider;
  const message = provider ? `The provider "${name}" takes no key.` : explainUnknownProvider(name);
  throw new GatewayError('invalid_field', { param: 'provider', message });
}
