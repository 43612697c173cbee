import Sequencer from '@jest/test-sequencer';

/** Runs the specs in the default order, except that specs that examine the whole test run come last. */
export default class LastSpecSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isLast = ({ path }) => path.endsWith('/canaries.spec.ts');
    return [...sorted.filter((test) => !isLast(test)), ...sorted.filter(isLast)];
  }
}
