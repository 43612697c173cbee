import Sequencer from '@jest/test-sequencer';

/** The usual order, but for what looks back on the whole run. */
export default class LastSpecSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isLast = ({ path }) => path.endsWith('/canaries.spec.ts');
    return [...sorted.filter((test) => !isLast(test)), ...sorted.filter(isLast)];
  }
}
