import { Inject, Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';
import { AuthenticateKeyHandler } from './authenticate-key/authenticate-key.handler.ts';
import { CreateAccountHandler } from './create-account/create-account.handler.ts';
import { CreateKeyHandler } from './create-key/create-key.handler.ts';
import { ACCOUNT_CONTEXT, type AccountContext } from './domain/account-context.ts';
import { ListKeysHandler } from './list-keys/list-keys.handler.ts';
import { RevokeKeyHandler } from './revoke-key/revoke-key.handler.ts';
import { SetToolListsHandler } from './set-tool-lists/set-tool-lists.handler.ts';

@Module({})
export class AccountModule implements OnModuleDestroy {
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
        RevokeKeyHandler,
      ],
    };
  }

  /** Comes after the transport's end, so nothing is in work any more. */
  async onModuleDestroy(): Promise<void> {
    await this.#context.lastUsed.flush();
    await this.#context.database.close();
  }
}
