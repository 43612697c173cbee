import { uuidv7 } from 'uuidv7';
import { send } from '../e2e/http.fixture.ts';
import { declareModel, type World } from './world.fixture.ts';

const provider = 'vllm';

/** The models that the tests use as targets for the routes under `/v1/account/models/{provider}/{id}`. */
export const declaredTargets = {
  own: async ({ baseUrl, owner }: World) => ({
    provider,
    id: await declareModel(baseUrl, owner.account.apiKey, uuidv7()),
  }),
  foreign: ({ other }: World) => ({ provider, id: other.declaredModel }),
  guessed: () => ({ provider, id: uuidv7() }),
  deleted: async (world: World) => {
    const id = await declareModel(world.baseUrl, world.owner.account.apiKey, uuidv7());
    await deleteOwn(world, id);
    return { provider, id };
  },
};

/**
 * The models that the tests try to delete. An account that declares a model with the name of another
 * account's model gets a separate model, which the test deletes first.
 */
export const declaredDeletions = {
  ...declaredTargets,
  foreign: async (world: World) => {
    await deleteOwn(world, world.other.declaredModel);
    return { provider, id: world.other.declaredModel };
  },
};

function deleteOwn({ baseUrl, owner }: World, id: string): Promise<unknown> {
  const path = `/v1/account/models/${provider}/${id}`;
  return send(baseUrl, { method: 'DELETE', path, key: owner.account.apiKey });
}

/**
 * The pages of the dashboard and of the documentation do not belong to an account. Every caller receives the
 * same response for a path.
 */
export function pageTargets(path: string) {
  const page = () => ({ id: path });
  return { own: page, foreign: page, guessed: page, deleted: page };
}
