import { Inject, Module, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AuthenticateKeyHandler } from './authenticate-key/authenticate-key.handler.ts';
import { CreateAccountHandler } from './create-account/create-account.handler.ts';
import { CreateKeyHandler } from './create-key/create-key.handler.ts';
import { ACCOUNT_CONTEXT, type AccountContext } from './domain/account-context.ts';
import { GetAccountHandler } from './get-account/get-account.handler.ts';
import { GetPreferencesHandler } from './get-preferences/get-preferences.handler.ts';
import { ListDisabledModelsHandler } from './list-disabled-models/list-disabled-models.handler.ts';
import { ListKeysHandler } from './list-keys/list-keys.handler.ts';
import { RevokeKeyHandler } from './revoke-key/revoke-key.handler.ts';
import { RotateKeyHandler } from './rotate-key/rotate-key.handler.ts';
import { SetToolListsHandler } from './set-tool-lists/set-tool-lists.handler.ts';
import { ToggleModelHandler } from './toggle-model/toggle-model.handler.ts';
import { UpdateAccountHandler } from './update-account/update-account.handler.ts';
import { UpdateKeyHandler } from './update-key/update-key.handler.ts';
import { UpdatePreferencesHandler } from './update-preferences/update-preferences.handler.ts';

@Module({})
export class AccountModule implements OnModuleInit, OnModuleDestroy {
  readonly #context: AccountContext;

  constructor(@Inject(ACCOUNT_CONTEXT) context: AccountContext) {
    this.#context = context;
  }

  static with(context: AccountContext): DynamicModule {
    return {
      module: AccountModule,
      providers: [{ provide: ACCOUNT_CONTEXT, useValue: context }],
      controllers: [
        AuthenticateKeyHandler,
        CreateAccountHandler,
        CreateKeyHandler,
        ListKeysHandler,
        SetToolListsHandler,
        UpdateKeyHandler,
        RotateKeyHandler,
        RevokeKeyHandler,
        GetAccountHandler,
        UpdateAccountHandler,
        GetPreferencesHandler,
        UpdatePreferencesHandler,
        ListDisabledModelsHandler,
        ToggleModelHandler,
      ],
    };
  }

  onModuleInit(): void {
    this.#context.expiredRecords.start();
  }

  /** Comes after the transport's end, so nothing is in work any more. */
  async onModuleDestroy(): Promise<void> {
    this.#context.expiredRecords.stop();
    await this.#context.lastUsed.flush();
    await this.#context.database.close();
  }
}
