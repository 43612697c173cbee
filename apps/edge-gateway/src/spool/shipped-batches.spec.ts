import { createSegment } from './segment.ts';
import { ShippedBatches } from './shipped-batches.ts';

const keepMs = 30_000;
const [first, second] = ['00000001', '00000002'];

function ship(count: number, keepBytesMax = Infinity) {
  const segment = createSegment({ id: 's', path: 's', openedAtMs: 0, recovered: false });
  const batches = new ShippedBatches({ keepMs, keepBytesMax });
  for (let at = 0; at < count; at += 1)
    batches.add(`b${at}`, { segment, start: at * 100, end: (at + 1) * 100 }, 0);
  return { batches, segment };
}
const idsOf = (batches: ShippedBatches): string[] => batches.shippedUntil(-1).map(({ id }) => id);

describe('committed batches', () => {
  it('stay in the spool for 30 s, and are no longer in flight', () => {
    const { batches, segment } = ship(2);
    batches.noteCommitted({ batchIds: ['b0', 'b1'], timeline: first }, 1_000);
    expect([batches.inFlight, batches.inFlightBytes, segment.uncommittedBatches]).toEqual([0, 0, 2]);
    batches.noteCommitted({ batchIds: [], timeline: first }, 1_000 + keepMs - 1);
    expect(segment.uncommittedBatches).toBe(2);
    batches.noteCommitted({ batchIds: [], timeline: first }, 1_000 + keepMs);
    expect(segment.uncommittedBatches).toBe(0);
  });

  it('are shipped again if a later report names a newer timeline, even after a long outage', () => {
    const { batches, segment } = ship(3);
    batches.noteCommitted({ batchIds: ['b0'], timeline: first }, 1_000);
    batches.noteCommitted({ batchIds: ['b1'], timeline: first }, 2_000);
    batches.noteCommitted({ batchIds: [], timeline: second }, 600_000);
    expect(idsOf(batches)).toEqual(['b0', 'b1']);
    expect([batches.inFlight, batches.inFlightBytes, segment.uncommittedBatches]).toEqual([3, 300, 3]);
  });

  it('are shipped again if their report is older than the failover', () => {
    const { batches } = ship(2);
    batches.noteCommitted({ batchIds: ['b0'], timeline: second }, 1_000);
    batches.noteCommitted({ batchIds: ['b1'], timeline: first }, 2_000);
    expect(idsOf(batches)).toEqual(['b1']);
  });

  it('are not shipped again if the first report names any timeline, or if no report names a timeline', () => {
    const { batches, segment } = ship(2);
    batches.noteCommitted({ batchIds: ['b0'], timeline: null }, 1_000);
    batches.noteCommitted({ batchIds: ['b1'], timeline: second }, 2_000);
    expect(idsOf(batches)).toEqual([]);
    batches.noteCommitted({ batchIds: [], timeline: null }, 2_000 + keepMs);
    expect(segment.uncommittedBatches).toBe(0);
  });

  it('use a limited part of the spool, and leave the spool when the process ends', () => {
    const { batches, segment } = ship(5, 200);
    batches.noteCommitted({ batchIds: ['b0', 'b1', 'b2', 'b3', 'b4'], timeline: first }, 1_000);
    expect(segment.uncommittedBatches).toBe(2);
    batches.releaseKept();
    expect(segment.uncommittedBatches).toBe(0);
  });
});
