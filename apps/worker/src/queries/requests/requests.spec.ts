import { chooseRequestFilter } from './requests.ts';

describe('a request filter', () => {
  it('ignores fields that are not set', () => {
    expect(chooseRequestFilter({})).toEqual({});
    expect(chooseRequestFilter({ status: 'ok' })).toEqual({ status: 'ok' });
  });

  it('includes the start of its time span and excludes the end', () => {
    const [from, to] = ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'];
    expect(chooseRequestFilter({ from, to })).toEqual({ createdAt: { gte: from, lt: to } });
    expect(chooseRequestFilter({ to })).toEqual({ createdAt: { lt: to } });
  });

  it('matches a model by its requested name, its provider’s name for the model, or provider and name', () => {
    expect(chooseRequestFilter({ model: 'together/meta-llama/Llama-3' })).toEqual({
      OR: [
        { model: 'together/meta-llama/Llama-3' },
        { requestedModel: 'together/meta-llama/Llama-3' },
        { provider: 'together', model: 'meta-llama/Llama-3' },
      ],
    });
    expect(chooseRequestFilter({ model: 'gpt-4o' })).toEqual({
      OR: [{ model: 'gpt-4o' }, { requestedModel: 'gpt-4o' }],
    });
  });
});
