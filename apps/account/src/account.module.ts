import { Inject, Module, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AttachPersonHandler } from './attach-person/attach-person.handler.ts';
import { AuthenticateKeyHandler } from './authenticate-key/authenticate-key.handler.ts';
import { ChangePasswordHandler } from './change-password/change-password.handler.ts';
import { CreateAccountHandler } from './create-account/create-account.handler.ts';
import { CreateKeyHandler } from './create-key/create-key.handler.ts';
import { CreatePlaygroundKeyHandler } from './create-playground-key/create-playground-key.handler.ts';
import { DeleteAccountHandler } from './delete-account/delete-account.handler.ts';
import { ACCOUNT_CONTEXT, type AccountContext } from './domain/account-context.ts';
import { GetAccountDeletionHandler } from './get-account-deletion/get-account-deletion.handler.ts';
import { GetAccountHandler } from './get-account/get-account.handler.ts';
import { GetIdentitySealingKeyHandler } from './get-identity-sealing-key/get-identity-sealing-key.handler.ts';
import { GetPreferencesHandler } from './get-preferences/get-preferences.handler.ts';
import { GetSessionKeysHandler } from './get-session-keys/get-session-keys.handler.ts';
import { ListDisabledModelsHandler } from './list-disabled-models/list-disabled-models.handler.ts';
import { ListKeysHandler } from './list-keys/list-keys.handler.ts';
import { LogInHandler } from './log-in/log-in.handler.ts';
import { LogOutHandler } from './log-out/log-out.handler.ts';
import { NoteCredentialChangeHandler } from './note-credential-change/note-credential-change.handler.ts';
import { RefreshSessionHandler } from './refresh-session/refresh-session.handler.ts';
import { RegisterAccountHandler } from './register-account/register-account.handler.ts';
import { ResolveSessionHandler } from './resolve-session/resolve-session.handler.ts';
import { RevokeKeyHandler } from './revoke-key/revoke-key.handler.ts';
import { RotateKeyHandler } from './rotate-key/rotate-key.handler.ts';
import { SetToolListsHandler } from './set-tool-lists/set-tool-lists.handler.ts';
import { SignUpHandler } from './sign-up/sign-up.handler.ts';
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
        NoteCredentialChangeHandler,
        DeleteAccountHandler,
        GetAccountDeletionHandler,
        GetPreferencesHandler,
        UpdatePreferencesHandler,
        ListDisabledModelsHandler,
        ToggleModelHandler,
        ResolveSessionHandler,
        RegisterAccountHandler,
        AttachPersonHandler,
        CreatePlaygroundKeyHandler,
        GetSessionKeysHandler,
        GetIdentitySealingKeyHandler,
        SignUpHandler,
        LogInHandler,
        RefreshSessionHandler,
        LogOutHandler,
        ChangePasswordHandler,
      ],
    };
  }

  onModuleInit(): void {
    this.#context.expiredRecords.start();
    this.#context.deletions.start();
  }

  /** Comes after the transport's end, so nothing is in work any more. */
  async onModuleDestroy(): Promise<void> {
    this.#context.expiredRecords.stop();
    await this.#context.deletions.stop();
    await this.#context.lastUsed.flush();
    await this.#context.database.close();
  }
}
