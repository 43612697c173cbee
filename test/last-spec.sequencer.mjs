import Sequencer from '@jest/test-sequencer';

/** The usual order, except that specs which examine the whole run come last. */
export default class LastSpecSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isLast = ({ path }) => path.endsWith('/canaries.spec.ts');
    return [...sorted.filter((test) => !isLast(test)), ...sorted.filter(isLast)];
  }
}
