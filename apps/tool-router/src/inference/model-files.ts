import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';

/** Paths at which exporters write the graph. */
export const modelFiles = ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];

/**
 * Opens a graph with a limited number of threads, so that an inference never uses more cores than configured.
 */
export function openGraph(model: Uint8Array, threads: number): Promise<InferenceSession> {
  return InferenceSession.create(model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Texts have many lengths, so memory plans for one length would waste memory.
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
}

/**
 * The first of these files that the directory contains, with its name.
 * @throws if it contains none of them.
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

/** A model's id: a hash of its files. Results of different models cannot be mixed up. */
export function nameModel(...files: readonly Uint8Array[]): string {
  return hash('sha256', Buffer.concat(files.map((file) => Buffer.from(hash('sha256', file))))).slice(0, 16);
}
