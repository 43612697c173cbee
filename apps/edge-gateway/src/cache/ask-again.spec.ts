import { GatewayError } from '@gateway/errors';
import { askAgain } from './ask-again.ts';

const away = new GatewayError('service_unavailable');

function failing(times: number) {
  let asked = 0;
  const ask = (): Promise<number> => {
    asked += 1;
    return asked <= times ? Promise.reject(away) : Promise.resolve(asked);
  };
  return { ask, count: () => asked };
}

describe('askAgain', () => {
  it('gets the answer of a service that comes back', async () => {
    expect(await askAgain(away, failing(1).ask)).toBe(2);
  });

  it('gives up on one that stays away', async () => {
    const service = failing(10);
    await expect(askAgain(away, service.ask)).rejects.toBe(away);
    expect(service.count()).toBe(3);
  });

  it('does not ask again what was answered with a refusal', async () => {
    const service = failing(0);
    const refusal = new GatewayError('invalid_field');
    await expect(askAgain(refusal, service.ask)).rejects.toBe(refusal);
    expect(service.count()).toBe(0);
  });
});
