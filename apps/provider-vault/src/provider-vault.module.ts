import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { ActivateKeyHandler } from './activate-key/activate-key.handler.ts';
import { DeleteCredentialHandler } from './delete-credential/delete-credential.handler.ts';
import { VAULT_CONTEXT, type VaultContext } from './domain/vault-context.ts';
import { ForgetAccountHandler } from './forget-account/forget-account.handler.ts';
import { GetSealingKeyHandler } from './get-sealing-key/get-sealing-key.handler.ts';
import { ListCredentialsHandler } from './list-credentials/list-credentials.handler.ts';
import { OpenCredentialHandler } from './open-credential/open-credential.handler.ts';
import { PutCredentialHandler } from './put-credential/put-credential.handler.ts';
import { ReportCredentialHandler } from './report-credential/report-credential.handler.ts';
import { RetireKeysHandler } from './retire-keys/retire-keys.handler.ts';
import { RewrapCredentialsHandler } from './rewrap-credentials/rewrap-credentials.handler.ts';

@Module({})
export class ProviderVaultModule implements OnModuleDestroy {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  static with(context: VaultContext): DynamicModule {
    return {
      module: ProviderVaultModule,
      providers: [{ provide: VAULT_CONTEXT, useValue: context }],
      controllers: [
        GetSealingKeyHandler,
        PutCredentialHandler,
        ListCredentialsHandler,
        DeleteCredentialHandler,
        OpenCredentialHandler,
        ForgetAccountHandler,
        RewrapCredentialsHandler,
        RetireKeysHandler,
        ReportCredentialHandler,
        ActivateKeyHandler,
      ],
    };
  }

  /** Comes after the transport's end, so nothing is in work any more. */
  async onModuleDestroy(): Promise<void> {
    await this.#context.enrolment.end();
    await this.#context.database.close();
  }
}
