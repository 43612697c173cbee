import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { z } from 'zod';

/** Paths where model exporters write the ONNX graph. */
export const modelFiles = ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];

/**
 * Loads an ONNX graph with a fixed number of threads, so that an inference uses no more cores than configured.
 */
export function openGraph(model: Uint8Array, threads: number): Promise<InferenceSession> {
  return InferenceSession.create(model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Memory pattern reuse is off, because text lengths vary and preallocated memory would be wasted.
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
}

/**
 * Returns the first of the named files that exists in the directory, together with its name.
 * @throws if none of the named files exists.
 */
export async function readFirstFile(
  directory: string,
  names: readonly string[],
): Promise<{ name: string; bytes: Buffer }> {
  for (const name of names) {
    const bytes = await readFile(join(directory, name)).catch(() => undefined);
    if (bytes !== undefined) return { name, bytes };
  }
  throw new Error(`${directory}: missing ${names.join(' or ')}`);
}

const digestsSchema = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));

/**
 * Compares the files in a model directory with the SHA-256 digests in `digests.json`. A directory without a
 * `digests.json` file is not checked.
 * @throws if a file is missing or does not match its digest.
 */
export async function checkDigests(directory: string): Promise<void> {
  const json = await readFile(join(directory, 'digests.json'), 'utf8').catch(() => '{}');
  for (const [name, expected] of Object.entries(digestsSchema.parse(JSON.parse(json)))) {
    const actual = hash('sha256', await readFile(join(directory, name)));
    if (actual !== expected)
      throw new Error(`${join(directory, name)}: the digest is not the one in digests.json`);
  }
}

/**
 * A model's id, which is a hash of its files. The id ensures that vectors and scores of different models are
 * never mixed.
 */
export function nameModel(...files: readonly Uint8Array[]): string {
  return hash('sha256', Buffer.concat(files.map((file) => Buffer.from(hash('sha256', file))))).slice(0, 16);
}
