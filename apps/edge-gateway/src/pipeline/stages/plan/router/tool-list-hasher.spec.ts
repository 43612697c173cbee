import type { ToolOutline } from '@gateway/interchange';
import { ToolListHasher } from './tool-list-hasher.ts';

const bytes = Buffer.from('[{"name":"f","x":{"name":"f"}}]');

function hashesOf(...tools: readonly Partial<ToolOutline>[]) {
  const listed = tools.map((tool, index) => ({ index, range: { start: 1, end: bytes.length - 1 }, ...tool }));
  return hasher.hashesOf(bytes, listed as ToolOutline[]);
}

const hasher = new ToolListHasher();

it('gives equal tools of different namespaces different hashes', () => {
  const hashes = [{}, { namespace: 'a' }, { namespace: 'b' }].map((tool) => hashesOf(tool).toolHashes[0]);
  expect(new Set(hashes).size).toBe(3);
});

it('does not mistake a namespace for a part of the definition or of the list', () => {
  const inner = { range: { start: bytes.indexOf('{"name":"f"}}'), end: bytes.length - 2 } };
  const definition = bytes.subarray(1, inner.range.start).toString();
  const outer = hashesOf({ namespace: 'a' });
  expect(hashesOf({ ...inner, namespace: `a\0${definition}` }).toolHashes).not.toEqual(outer.toolHashes);
  const [one, other] = [
    { index: 1, namespace: '2x' },
    { index: 12, namespace: 'x' },
  ].map((tool) => hashesOf(tool));
  expect(one!.toolHashes).not.toEqual(other!.toolHashes);
});
