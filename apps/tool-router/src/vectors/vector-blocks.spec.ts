import { packVector, parsePackedVector, renderPackedVector } from './shared-vectors.port.ts';
import { VectorBlocks } from './vector-blocks.ts';

const dimensions = 32;
const hashOf = (at: number): string => at.toString(16).padStart(64, '0');

/** Reproducible vectors of length 1. */
function vectorOf(seed: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, (_, at) => Math.sin(seed * 7.3 + at * 1.7));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

describe('vectors keyed by definition hash', () => {
  it('are returned with a cosine error below half a percent', () => {
    const blocks = new VectorBlocks(dimensions, 1e8);
    const target = new Float32Array(2 * dimensions);
    for (let at = 0; at < 5000; at += 1) blocks.set(hashOf(at), packVector(vectorOf(at)));
    for (const at of [0, 4095, 4096, 4999]) {
      expect(blocks.read(hashOf(at), target, dimensions)).toBe(true);
      const kept = target.subarray(dimensions);
      const cosine = vectorOf(at).reduce((sum, value, place) => sum + value * (kept[place] ?? 0), 0);
      expect(Math.abs(cosine - 1)).toBeLessThan(0.005);
    }
    expect(blocks.read(hashOf(5000), target, 0)).toBe(false);
  });

  it('stay within their memory limit, because the least recently used vectors are evicted', () => {
    const blocks = new VectorBlocks(dimensions, 100 * (dimensions + 220));
    for (let at = 0; at < 1000; at += 1) {
      blocks.set(hashOf(at), packVector(vectorOf(at)));
      blocks.read(hashOf(0), new Float32Array(dimensions), 0);
    }
    expect(blocks.size).toBe(100);
    expect(blocks.has(hashOf(0))).toBe(true);
    expect(blocks.has(hashOf(999))).toBe(true);
    expect(blocks.has(hashOf(500))).toBe(false);
    const target = new Float32Array(dimensions);
    blocks.read(hashOf(999), target, 0);
    expect(target[3]).toBeCloseTo(vectorOf(999)[3] ?? 0, 2);
  });

  it('are serialized to the same bytes on every machine, and invalid bytes are rejected', () => {
    const packed = packVector(vectorOf(3));
    expect(parsePackedVector(renderPackedVector(packed), dimensions)).toEqual(packed);
    expect(parsePackedVector(Buffer.alloc(dimensions), dimensions)).toBeUndefined();
    const broken = renderPackedVector(packed);
    broken.writeFloatLE(Number.NaN, 0);
    expect(parsePackedVector(broken, dimensions)).toBeUndefined();
    expect(packVector(new Float32Array(dimensions)).scale).toBe(0);
  });
});
