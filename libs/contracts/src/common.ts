import { z } from 'zod';

/** A UUIDv7, as every id of ours is. */
export const id = z.uuid();
/** RFC 3339, UTC. */
export const timestamp = z.iso.datetime();
/** Lower-case hex of a SHA-256. */
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
/** Bytes, in base64. */
export const base64 = z.base64();
export const count = z.int().nonnegative();
export const toolNames = z.array(z.string().min(1).max(256)).max(4096);
