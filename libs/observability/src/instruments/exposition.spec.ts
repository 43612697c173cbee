import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry, type Metric } from 'prom-client';
import { Counter as OurCounter, Gauge as OurGauge } from './counter-and-gauge.ts';
import { Histogram as OurHistogram } from './histogram.ts';
import type { Instrument } from './instrument.ts';

const labelNames = ['reason', 'code'] as const;
const buckets = [0.001, 0.5, 1, 16, 1_048_576];
const counter = { name: 'a_total', help: 'Back\\slash, "quote"\nand line.', labelNames };
const gauge = { name: 'b', help: 'B.', labelNames };
const histogram = { name: 'c_seconds', help: 'C.', labelNames, buckets };
const plain = { labelNames: [], help: 'Without labels.' };

function collectSeven(this: Gauge): void {
  this.set(7);
}

function makeTheirs() {
  const registry = new Registry();
  const registers = [registry];
  const instruments = {
    counter: new Counter({ ...counter, registers }),
    gauge: new Gauge({ ...gauge, registers }),
    histogram: new Histogram({ ...histogram, registers, buckets: [...buckets] }),
    plainCounter: new Counter({ ...plain, name: 'd_total', registers }),
    plainGauge: new Gauge({ ...plain, name: 'e', registers }),
    plainHistogram: new Histogram({ ...plain, name: 'f', registers, buckets: [...buckets] }),
    collected: new Gauge({ ...plain, name: 'g', registers, collect: collectSeven }),
  };
  return { registry, instruments };
}

function makeOurs() {
  const instruments = {
    counter: new OurCounter(counter),
    gauge: new OurGauge(gauge),
    histogram: new OurHistogram(histogram),
    plainCounter: new OurCounter({ ...plain, name: 'd_total' }),
    plainGauge: new OurGauge({ ...plain, name: 'e' }),
    plainHistogram: new OurHistogram({ ...plain, name: 'f', buckets }),
    collected: new OurGauge({ ...plain, name: 'g', collect: () => 7 }),
  };
  const registry = new Registry();
  const list: Instrument[] = Object.values(instruments);
  for (const instrument of list) registry.registerMetric(instrument as unknown as Metric);
  return { registry, instruments };
}

type Instruments = ReturnType<typeof makeOurs>['instruments'] | ReturnType<typeof makeTheirs>['instruments'];
type Given = Partial<Record<(typeof labelNames)[number], string | number>>;

/** Changes to metrics with arbitrary labels and with positive, zero and negative values. */
const steps: readonly ((to: Instruments, labels: Given, size: number, change: number) => void)[] = [
  ({ counter: to }, labels, size) => to.inc(labels, size),
  ({ counter: to }, labels) => to.inc(labels),
  ({ counter: to }, _labels, size) => to.inc(size),
  ({ gauge: to }, labels, _size, change) => to.set(labels, change),
  ({ gauge: to }, labels, _size, change) => to.inc(labels, change),
  ({ gauge: to }, labels) => to.inc(labels),
  ({ gauge: to }, labels, _size, change) => to.dec(labels, change),
  ({ gauge: to }, labels) => to.dec(labels),
  ({ histogram: to }, labels, _size, change) => to.observe(labels, change),
  ({ histogram: to }, _labels, _size, change) => to.observe(change),
  ({ plainCounter: to }, _labels, size) => to.inc(size),
  ({ plainCounter: to }) => to.inc(),
  ({ plainGauge: to }, _labels, _size, change) => to.set(change),
  ({ plainGauge: to }, _labels, _size, change) => to.inc(change),
  ({ plainGauge: to }) => to.inc(),
  ({ plainGauge: to }, _labels, _size, change) => to.dec(change),
  ({ plainGauge: to }) => to.dec(),
  ({ plainHistogram: to }, _labels, _size, change) => to.observe(change),
  ({ plainHistogram: to }, _labels, _size, change) => to.observe({}, change),
  // Both implementations reject these values without creating a series.
  ({ counter: to }, labels, size) => refuse(() => to.inc(labels, -1 - size)),
  ({ counter: to }, labels) => refuse(() => to.inc(labels, Infinity)),
  ({ histogram: to }, labels) => refuse(() => to.observe(labels, NaN)),
];

function refuse(step: () => void): void {
  expect(step).toThrow();
}

/** Metric labels in either order, with one or both labels omitted. */
const someLabels = fc
  .shuffledSubarray([...labelNames])
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [name, fc.constantFrom('', 'late', '"quoted"\nback\\slash', '503', 503)]),
      ),
    ),
  );
/** Values at the histogram's bucket bounds, and values next to the bounds. */
const someSize = fc.oneof(
  fc.constantFrom(0, ...buckets),
  fc.double({ noNaN: true, min: 0, max: 20 }),
  fc.double({ noNaN: true, min: 0, max: 1e9 }),
);
const someSteps = fc.array(
  fc.tuple(
    fc.constantFrom(...steps),
    someLabels,
    someSize,
    fc.oneof(
      someSize,
      someSize.map((size) => -size),
    ),
  ),
  { maxLength: 60 },
);

it('writes the same text as prom-client for the same observations, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(someSteps, async (taken) => {
      const texts = [makeTheirs(), makeOurs()].map(({ registry, instruments }) => {
        registry.setDefaultLabels({ service: 'edge' });
        for (const [step, labels, size, change] of taken) step(instruments, labels, size, change);
        return registry.metrics();
      });
      const [theirs, ours] = await Promise.all(texts);
      expect(ours).toBe(theirs);
    }),
  );
});

it('creates no series for an unknown label', async () => {
  const { counter: ours } = makeOurs().instruments;
  expect(() => ours.inc({ reason: 'late', other: 1 } as Given)).toThrow('other');
  expect((await ours.get()).values).toEqual([]);
});

it('fails the scrape when collecting a value fails', async () => {
  const failing = () => {
    throw new Error('no memory');
  };
  await expect(new OurGauge({ ...plain, name: 'g', collect: failing }).get()).rejects.toThrow('no memory');
});
