import fc from 'fast-check';
import { SseFrameGate } from './frame-gate.ts';

function pass(chunks: readonly Buffer[]): { gate: SseFrameGate; out: Buffer } {
  const gate = new SseFrameGate(1_000_000);
  return { gate, out: Buffer.concat(chunks.flatMap((chunk) => gate.push(chunk))) };
}

describe('SseFrameGate', () => {
  it.each(['\n\n', '\r\n\r\n', '\r\r'])(
    'releases a frame that ends in %j when the frame is complete, wherever the stream is split',
    (end) => {
      const text = Buffer.from(`data: one${end}data: two${end}data: thr`);
      const whole = text.length - 'data: thr'.length;
      for (let cut = 1; cut < text.length; cut += 1) {
        const { gate, out } = pass([text.subarray(0, cut), text.subarray(cut)]);
        expect(out.toString()).toBe(text.subarray(0, whole).toString());
        expect(Buffer.concat(gate.rest()).toString()).toBe('data: thr');
      }
    },
  );

  it('never changes, drops or duplicates a byte, wherever the stream is split', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab\r\n]{0,6}$/)), (pieces) => {
        const { gate, out } = pass(pieces.map((piece) => Buffer.from(piece)));
        expect(Buffer.concat([out, ...gate.rest()]).toString()).toBe(pieces.join(''));
      }),
    );
  });

  it('rejects a frame that exceeds its size limit', () => {
    const gate = new SseFrameGate(10);
    gate.push(Buffer.from('data: 1'));
    expect(() => gate.push(Buffer.from('2345'))).toThrow(RangeError);
  });
});
