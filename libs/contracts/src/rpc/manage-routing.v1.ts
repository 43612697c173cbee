import { z } from 'zod';
import { declaredModel, declaredModelBody, modelToggleBody } from '../api/routing-models.ts';
import { routingPreferences, updatePreferencesBody } from '../api/routing-preferences.ts';
import { byActor } from '../base/actor.ts';
import { id } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';

const common = { server: 'account', callers: ['edge-gateway'], deadlineMs: interactiveMs } as const;

/** Reads the routing preferences of an account. Throws `not_found` for an unknown account. */
export const getPreferences = defineRpc({
  ...common,
  callers: ['edge-gateway', 'worker'],
  subject: 'account.get-preferences.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ preferences: routingPreferences }),
});

/** Updates routing preferences. The gateway validates provider and model names before this call. */
export const updatePreferences = defineRpc({
  ...common,
  subject: 'account.update-preferences.v1',
  request: z.object({ accountId: id, body: updatePreferencesBody, ...byActor }),
  reply: z.object({ preferences: routingPreferences }),
});

/** Lists the models that are excluded from automatic routing. */
export const listDisabledModels = defineRpc({
  ...common,
  subject: 'account.list-disabled-models.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ models: z.array(z.object({ provider: z.string(), modelId: z.string() })) }),
});

/**
 * Includes a model in automatic routing or excludes it. Before this call, the gateway checks that the
 * provider offers the model.
 */
export const toggleModel = defineRpc({
  ...common,
  subject: 'account.toggle-model.v1',
  request: z.object({ accountId: id, body: modelToggleBody, ...byActor }),
  reply: z.object({}),
});

const declaredName = { provider: z.string().min(1).max(64), modelId: z.string().min(1).max(256) };

/** Lists the models that an account declares. For an unknown account, the list is empty. */
export const listDeclaredModels = defineRpc({
  ...common,
  subject: 'account.list-declared-models.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ models: z.array(declaredModel) }),
});

/**
 * Declares a model for an account, or replaces an existing declaration. The gateway validates the provider
 * before this call. Throws `not_found` for an unknown account. Throws `invalid_field` if there are too many
 * models or if another model of the provider has the same name.
 */
export const putDeclaredModel = defineRpc({
  ...common,
  subject: 'account.put-declared-model.v1',
  request: z.object({ accountId: id, ...declaredName, body: declaredModelBody, ...byActor }),
  reply: z.object({ model: declaredModel }),
});

/** Deletes a model that an account declared. `deleted` is false if the account had not declared the model. */
export const deleteDeclaredModel = defineRpc({
  ...common,
  subject: 'account.delete-declared-model.v1',
  request: z.object({ accountId: id, ...declaredName, ...byActor }),
  reply: z.object({ deleted: z.boolean() }),
});
