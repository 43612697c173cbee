import { chooseRequestFilter } from './requests.ts';

describe('a filter of requests', () => {
  it('narrows by nothing that was not given', () => {
    expect(chooseRequestFilter({})).toEqual({});
    expect(chooseRequestFilter({ status: 'ok' })).toEqual({ status: 'ok' });
  });

  it('takes its span from the first instant on, and up to the last', () => {
    const [from, to] = ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'];
    expect(chooseRequestFilter({ from, to })).toEqual({ createdAt: { gte: from, lt: to } });
    expect(chooseRequestFilter({ to })).toEqual({ createdAt: { lt: to } });
  });

  it('looks for a model by the name it was asked by, by its own, and by its provider and its own', () => {
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
