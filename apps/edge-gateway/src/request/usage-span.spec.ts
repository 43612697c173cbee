import { chooseBillingPeriod, chooseLastDays, chooseSpan, fillDays } from './usage-span.ts';

describe('the billing period', () => {
  it.each([
    ['2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('at %s is the calendar month in UTC', (now, from, to) => {
    expect(chooseBillingPeriod(Date.parse(now))).toEqual({ from, to });
  });
});

it('a period of the last days includes all of today', () => {
  const now = Date.parse('2026-03-01T00:00:00.000Z');
  expect(chooseLastDays(1, now)).toEqual({
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-03-02T00:00:00.000Z',
  });
  expect(chooseLastDays(2, now - 1)).toEqual({
    from: '2026-02-27T00:00:00.000Z',
    to: '2026-03-01T00:00:00.000Z',
  });
});

describe('the time span of a usage query', () => {
  const month = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' };
  it('uses the defaults for missing bounds, and is converted to UTC from any offset', () => {
    expect(chooseSpan({}, month)).toEqual(month);
    expect(chooseSpan({ from: '2026-11-10T01:00:00+02:00' }, month)).toEqual({
      ...month,
      from: '2026-11-09T23:00:00.000Z',
    });
  });

  it.each([
    [{ from: '2026-12-01T00:00:00Z' }, 'from'],
    [{ to: '2026-10-01T00:00:00Z' }, 'to'],
    [{ from: '2020-01-01T00:00:00Z' }, 'from'],
    [{ from: '2020-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
  ])('is rejected if it is empty or too long: %j', (asked, param) => {
    expect(() => chooseSpan(asked, month)).toThrow(expect.objectContaining({ code: 'invalid_field', param }));
  });
});

it('days without requests are added in order', () => {
  const span = { from: '2026-02-27T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
  const days = fillDays(span, [{ date: '2026-02-28', requests: 3 }], (date) => ({ date, requests: 0 }));
  expect(days).toEqual([
    { date: '2026-02-27', requests: 0 },
    { date: '2026-02-28', requests: 3 },
    { date: '2026-03-01', requests: 0 },
  ]);
});
