import { fromLocalInput, toLocalInput } from './time.ts';

it('a time shown in the reader’s time zone converts back to the same time', () => {
  const instant = '2026-11-20T10:30:00.000Z';
  expect(fromLocalInput(toLocalInput(instant))).toBe(instant);
  expect(toLocalInput(undefined)).toBe('');
  expect(fromLocalInput('')).toBe('');
});
