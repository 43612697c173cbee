import { drawBand, drawSteps, listCurve, makeScale } from './calibration-curve.ts';

const frame = { left: 0, right: 100, top: 0, bottom: 100 };
const recallAt = {
  '10': { value: 1, low: 0.9, high: 1 },
  '1': { value: 0.5, low: 0.4, high: 0.6 },
};

it('a recall curve is ordered by the number K', () => {
  expect(listCurve(recallAt).map(({ k }) => k)).toEqual([1, 10]);
  expect(listCurve({})).toEqual([]);
});

it('recall stays constant up to the next K, and the band lies between the bounds', () => {
  const points = listCurve(recallAt);
  const scale = makeScale(points, frame);
  expect(drawSteps(points, scale, ({ value }) => value)).toBe('M0 50H100V0');
  expect(drawBand(points, scale)).toBe('M0 40H100V0V10H100V60H0Z');
  expect(drawBand([], scale)).toBe('');
  expect(scale.ks).toEqual([1, 2, 5, 10]);
});
