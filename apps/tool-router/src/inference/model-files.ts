import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';

/** Where exporters put the graph. */
export const modelFiles = ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];

/** A graph with bounded threads: an inference takes no more cores than it was given, whatever the machine has. */
export function openGraph(model: Uint8Array, threads: number): Promise<InferenceSession> {
  return InferenceSession.create(model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Texts are of many lengths: plans of memory made for one would be held for nothing.
    enableMemPattern: false,
    logSeverityLevel: 3,
  });
}

/** What a folder holds under one of these names, with the name. @throws when it has none of them. */
export async function readFirstFile(
  directory: string,
  names: readonly string[],
): Promise<{ name: string; bytes: Buffer }> {
  for (const name of names) {
    const bytes = await readFile(join(directory, name)).catch(() => undefined);
    if (bytes !== undefined) return { name, bytes };
  }
  throw new Error(`${directory}: no ${names.join(' or ')}`);
}

/** Names a model by what it is made of, so that figures of one are never taken for those of another. */
export function nameModel(...files: readonly Uint8Array[]): string {
  return hash('sha256', Buffer.concat(files.map((file) => Buffer.from(hash('sha256', file))))).slice(0, 16);
}
