import { GatewayError } from '@gateway/errors';
import { askAgain } from './ask-again.ts';

function failing(times: number, code: 'service_unavailable' | 'invalid_field') {
  let asked = 0;
  const ask = (): Promise<number> => {
    asked += 1;
    return asked <= times ? Promise.reject(new GatewayError(code)) : Promise.resolve(asked);
  };
  return { ask, count: () => asked };
}

describe('askAgain', () => {
  it('gets the answer of a service that comes back', async () => {
    expect(await askAgain(failing(2, 'service_unavailable').ask)).toBe(3);
  });

  it('gives up on one that stays away', async () => {
    const service = failing(10, 'service_unavailable');
    await expect(askAgain(service.ask)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(service.count()).toBe(4);
  });

  it('does not ask again what was answered with a refusal', async () => {
    const service = failing(10, 'invalid_field');
    await expect(askAgain(service.ask)).rejects.toMatchObject({ code: 'invalid_field' });
    expect(service.count()).toBe(1);
  });
});
