import { z } from 'zod';
import { modelToggleBody } from '../api/routing-models.ts';
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
 * Includes a model in automatic routing, or excludes it from automatic routing. The gateway checks before
 * this call that the provider offers the model.
 */
export const toggleModel = defineRpc({
  ...common,
  subject: 'account.toggle-model.v1',
  request: z.object({ accountId: id, body: modelToggleBody, ...byActor }),
  reply: z.object({}),
});
