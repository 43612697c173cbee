import {
  deleteDeclaredModel as deleteDeclaredModelContract,
  getPreferences as getPreferencesContract,
  listDeclaredModels as listDeclaredModelsContract,
  listDisabledModels as listDisabledModelsContract,
  putDeclaredModel as putDeclaredModelContract,
  toggleModel as toggleModelContract,
  updatePreferences as updatePreferencesContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { ChangeAnnouncer } from '../announce/change-announcer.ts';
import { ACCOUNT_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import { deleteDeclaredModel, listDeclaredModels, putDeclaredModel } from './declared-models.ts';
import { listDisabledModels, toggleModel } from './model-toggles.ts';
import { getPreferences, updatePreferences, type PreferencesContext } from './preferences.ts';

/** Implements the RPC contracts for routing preferences, model toggles and declared models. */
@Controller()
export class PreferencesController {
  readonly #context: PreferencesContext;

  constructor(
    @Inject(ACCOUNT_DATABASE) database: AccountDatabase,
    @Inject(ChangeAnnouncer) changes: ChangeAnnouncer,
  ) {
    this.#context = { database, changes };
  }

  @RpcHandler(getPreferencesContract)
  getPreferences(
    request: ParsedRequestOf<typeof getPreferencesContract>,
  ): Promise<ReplyOf<typeof getPreferencesContract>> {
    return getPreferences(this.#context, request);
  }

  @RpcHandler(updatePreferencesContract)
  updatePreferences(
    request: ParsedRequestOf<typeof updatePreferencesContract>,
  ): Promise<ReplyOf<typeof updatePreferencesContract>> {
    return updatePreferences(this.#context, request);
  }

  @RpcHandler(listDisabledModelsContract)
  listDisabledModels(
    request: ParsedRequestOf<typeof listDisabledModelsContract>,
  ): Promise<ReplyOf<typeof listDisabledModelsContract>> {
    return listDisabledModels(this.#context, request);
  }

  @RpcHandler(toggleModelContract)
  toggleModel(
    request: ParsedRequestOf<typeof toggleModelContract>,
  ): Promise<ReplyOf<typeof toggleModelContract>> {
    return toggleModel(this.#context, request);
  }

  @RpcHandler(listDeclaredModelsContract)
  listDeclaredModels(
    request: ParsedRequestOf<typeof listDeclaredModelsContract>,
  ): Promise<ReplyOf<typeof listDeclaredModelsContract>> {
    return listDeclaredModels(this.#context, request);
  }

  @RpcHandler(putDeclaredModelContract)
  putDeclaredModel(
    request: ParsedRequestOf<typeof putDeclaredModelContract>,
  ): Promise<ReplyOf<typeof putDeclaredModelContract>> {
    return putDeclaredModel(this.#context, request);
  }

  @RpcHandler(deleteDeclaredModelContract)
  deleteDeclaredModel(
    request: ParsedRequestOf<typeof deleteDeclaredModelContract>,
  ): Promise<ReplyOf<typeof deleteDeclaredModelContract>> {
    return deleteDeclaredModel(this.#context, request);
  }
}
