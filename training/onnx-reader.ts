/**
 * A minimal reader for the protobuf wire format. The reader finds tensors in a model written by
 * `onnx-writer.ts`, and the positions of tensors in another model's data file.
 */

const graphField = 7;
const initializerField = 5;
const nameField = 8;
const rawDataField = 9;
const externalDataField = 13;

/**
 * Returns a copy of a tensor's raw data from the graph.
 * @throws RangeError if no tensor has this name
 */
export function readTensor(model: Buffer, name: string): Uint8Array {
  for (const graph of fieldsOf(model, graphField)) {
    for (const initializer of fieldsOf(graph, initializerField)) {
      const [named] = fieldsOf(initializer, nameField);
      const [data] = fieldsOf(initializer, rawDataField);
      if (named?.toString('utf8') === name && data !== undefined) return Uint8Array.from(data);
    }
  }
  throw new RangeError(`the model has no tensor ${name}`);
}

/** Returns the bytes of each tensor in a model's data file, by tensor name. */
export function readExternalTensors(model: Buffer, data: Buffer): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const graph of fieldsOf(model, graphField)) {
    for (const initializer of fieldsOf(graph, initializerField)) {
      const [name] = fieldsOf(initializer, nameField);
      const place = new Map(
        fieldsOf(initializer, externalDataField).map((entry) => [
          fieldsOf(entry, 1).join(''),
          Number(fieldsOf(entry, 2).join('')),
        ]),
      );
      const [from = Number.NaN, length = Number.NaN] = [place.get('offset'), place.get('length')];
      if (name !== undefined) found.set(name.toString(), Uint8Array.from(data.subarray(from, from + length)));
    }
  }
  return found;
}

/** Returns all values of a bytes field, in order. */
function fieldsOf(message: Buffer, wanted: number): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < message.length;) {
    const [key, afterKey] = readVarint(message, at);
    const [value, afterValue] = readVarint(message, afterKey);
    const isBytes = (key & 7) === 2;
    at = isBytes ? afterValue + value : afterValue;
    if (isBytes && key >> 3 === wanted) found.push(message.subarray(afterValue, at));
  }
  return found;
}

function readVarint(message: Buffer, from: number): [value: number, next: number] {
  let value = 0;
  let scale = 1;
  for (let at = from; ; at += 1) {
    const byte = message.readUInt8(at);
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at + 1];
    scale *= 128;
  }
}
