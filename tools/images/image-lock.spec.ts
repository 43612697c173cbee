import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap/stack/root.ts';
import { findUnpinned, listReferences, pinnedFiles, pinReferences, readImageLock } from './image-lock.ts';

const lock = readImageLock();
const digest = `sha256:${'0'.repeat(64)}`;

test.each(pinnedFiles)('%s names every image by the locked version and digest', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  expect(listReferences(text).length).toBeGreaterThan(0);
  expect(findUnpinned(text, lock)).toEqual([]);
  expect(pinReferences(text, lock)).toBe(text);
});

test.each([
  ['a tag', '    image: redis:7-alpine\n'],
  ['no tag', '    image: redis\n'],
  ['another digest', `    image: redis:7.4.9-alpine@${digest}\n`],
  ['an unknown image', `    image: other/image:1.0@${digest}\n`],
  ['a base image', 'FROM node:24-slim AS build\n'],
  ['a build argument', 'ARG NODE_IMAGE=node:24-slim\n'],
  ['a copied image', 'COPY --from=busybox:1 /bin/sh /bin/sh\n'],
  ['a Dockerfile frontend', '# syntax=docker/dockerfile:1\n'],
])('the check finds an image that is not pinned to the locked digest: %s', (_, text) => {
  expect(findUnpinned(text, lock)).toHaveLength(1);
});

test('the check ignores build stages, build arguments and images of this repository', () => {
  const dockerfile = 'FROM ${NODE_IMAGE} AS build\nFROM build AS files\nCOPY --from=build /app /app\n';
  expect(listReferences(dockerfile)).toEqual([]);
  expect(findUnpinned('    image: agent-gateway/account\n', lock)).toEqual([]);
});

test('the pin command replaces only the reference to the image', () => {
  const text = 'services:\n  a:\n    image: redis:6\n  b:\n    image: nats # the bus\n';
  const pinned = pinReferences(text, lock);
  expect(findUnpinned(pinned, lock)).toEqual([]);
  expect(pinned).toMatch(/image: redis:\S+@sha256:\S+\n {2}b:\n {4}image: nats:\S+@sha256:\S+ # the bus\n$/);
});
