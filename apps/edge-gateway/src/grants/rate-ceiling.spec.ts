import { RateCeiling } from './rate-ceiling.ts';

describe('the operator’s upper bound for requests per minute', () => {
  const ceiling = new RateCeiling(100);

  it('rejects a higher limit, and the error names the field and the upper bound', () => {
    expect(() => ceiling.require(101, 'policy.rate_limit_rpm')).toThrow(
      expect.objectContaining({
        code: 'invalid_field',
        param: 'policy.rate_limit_rpm',
        message: expect.stringContaining('at most 100') as string,
      }),
    );
    for (const allowed of [100, 1, null, undefined])
      expect(() => ceiling.require(allowed, 'rate_limit_rpm')).not.toThrow();
  });

  it('applies to limits that were saved before the upper bound was lowered', () => {
    expect([ceiling.cap(600), ceiling.cap(60)]).toEqual([100, 60]);
    expect(ceiling.capRecord({ id: 'a', rate_limit_rpm: 600 })).toEqual({ id: 'a', rate_limit_rpm: 100 });
    const low = { rate_limit_rpm: 60 };
    expect(ceiling.capRecord(low)).toBe(low);
  });
});
