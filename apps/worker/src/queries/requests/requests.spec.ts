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

  it('finds a UUID as a request id and as a session id, and other texts in part', () => {
    const id = '019ab3c0-1111-7abc-8abc-0123456789ab';
    const createdAt = new Date(Number.parseInt('019ab3c01111', 16));
    expect(chooseRequestFilter({ search: id })).toEqual({
      AND: [{ OR: [{ id, createdAt }, { sessionId: id }] }],
    });
    expect(chooseRequestFilter({ search: id.toUpperCase() }).AND).toEqual([
      { OR: [{ id, createdAt }, { sessionId: id.toUpperCase() }] },
    ]);
    const { AND } = chooseRequestFilter({ search: '50%_off', model: 'm' });
    expect(AND).toEqual([
      {
        OR: expect.arrayContaining([
          { errorMessage: { contains: String.raw`50\%\_off`, mode: 'insensitive' } },
          { calledTools: { has: '50%_off' } },
        ]) as unknown,
      },
    ]);
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
