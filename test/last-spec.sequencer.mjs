import Sequencer from '@jest/test-sequencer';

/** The specs that examine what other specs left behind, or the whole test run, in the order in which they run. */
const lastSpecs = ['/spool-leftovers.spec.ts', '/canaries.spec.ts'];
/** The position of a spec in `lastSpecs`, or -1 for any other spec. */
const positionOf = ({ path }) => lastSpecs.findIndex((name) => path.endsWith(name));

/** Runs the specs in the default order, except that the specs in `lastSpecs` come last. */
export default class LastSpecSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return sorted.toSorted((one, other) => positionOf(one) - positionOf(other));
  }
}
