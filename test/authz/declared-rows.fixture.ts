import { uuidv7 } from 'uuidv7';
import { send } from '../e2e/http.fixture.ts';
import type { AuthzRow } from './rows.fixture.ts';
import { declareModel } from './world.fixture.ts';

const provider = 'vllm';

/** The models of the routes below `/v1/account/models/{provider}/{id}`. */
export const declaredTargets: NonNullable<AuthzRow['targets']> = {
  own: async ({ baseUrl, owner }) => ({
    provider,
    id: await declareModel(baseUrl, owner.account.apiKey, uuidv7()),
  }),
  foreign: ({ other }) => ({ provider, id: other.declaredModel }),
  guessed: () => ({ provider, id: uuidv7() }),
  deleted: async ({ baseUrl, owner }) => {
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
export function pageTargets(path: string): NonNullable<AuthzRow['targets']> {
  const page = () => ({ id: path });
  return { own: page, foreign: page, guessed: page, deleted: page };
}
