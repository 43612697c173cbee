import { chooseWholeHours } from './account-log.ts';

describe('the whole hours in a time span', () => {
  const at = (time: string) => `2026-11-20T${time}.000Z`;
  it.each([
    ['10:00:00', '13:00:00', '10:00:00', '13:00:00'],
    ['10:00:01', '12:59:59', '11:00:00', '12:00:00'],
    ['10:30:00', '11:00:00', '11:00:00', '11:00:00'],
    ['10:30:00', '11:30:00', '11:00:00', '11:00:00'],
    ['10:10:00', '10:20:00', '10:20:00', '10:20:00'],
  ])('between %s and %s are from %s to %s', (from, to, first, last) => {
    expect(chooseWholeHours({ from: at(from), to: at(to) })).toEqual({ from: at(first), to: at(last) });
  });
});
