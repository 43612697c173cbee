import { uuidv7 } from 'uuidv7';
import { send } from '../e2e/http.fixture.ts';
import { declareModel, type World } from './world.fixture.ts';

const provider = 'vllm';

/** The models of the routes below `/v1/account/models/{provider}/{id}`. */
export const declaredTargets = {
  own: async ({ baseUrl, owner }: World) => ({
    provider,
    id: await declareModel(baseUrl, owner.account.apiKey, uuidv7()),
  }),
  foreign: ({ other }: World) => ({ provider, id: other.declaredModel }),
  guessed: () => ({ provider, id: uuidv7() }),
  deleted: async ({ baseUrl, owner }: World) => {
    const id = await declareModel(baseUrl, owner.account.apiKey, uuidv7());
    const path = `/v1/account/models/${provider}/${id}`;
    await send(baseUrl, { method: 'DELETE', path, key: owner.account.apiKey });
    return { provider, id };
  },
};

/**
 * The pages of the dashboard and of the documentation do not belong to an account. Every caller receives the
 * same response for a path.
 */
export function pageTargets(path: string) {
  const page = () => ({ id: path });
  return { own: page, foreign: page, guessed: page, deleted: page };
}
