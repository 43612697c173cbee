/** A minimal writer for the protobuf wire format of ONNX models (onnx.proto3, IR version 8). */

const varintType = 0;
const bytesType = 2;
const fixed32Type = 5;

export const elementType = { float: 1, int8: 3, int64: 7 } as const;

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

export function intField(field: number, value: number): Buffer {
  return Buffer.concat([varint((field << 3) | varintType), varint(value)]);
}

export function bytesField(field: number, value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint((field << 3) | bytesType), varint(bytes.length), bytes]);
}

/**
 * Encodes a TensorProto with raw data. The field numbers are 1 for dims, 2 for data_type, 8 for name, and 9
 * for raw_data.
 */
export function tensor(name: string, type: number, dimensions: readonly number[], data: Uint8Array): Buffer {
  return Buffer.concat([
    ...dimensions.map((size) => intField(1, size)),
    intField(2, type),
    bytesField(8, name),
    bytesField(9, data),
  ]);
}

export function int64Tensor(name: string, values: readonly number[]): Buffer {
  const data = BigInt64Array.from(values.map(BigInt));
  return tensor(name, elementType.int64, [values.length], new Uint8Array(data.buffer));
}

/** The value of an ONNX operator's attribute, which is an integer or a floating-point number. */
type Attribute = number | { readonly float: number };

/**
 * Encodes an AttributeProto of type FLOAT or INT. The field numbers are 1 for name, 2 for f, 3 for i, and 20 for
 * type.
 */
function attribute(name: string, value: Attribute): Buffer {
  const isInteger = typeof value === 'number';
  return Buffer.concat([
    bytesField(1, name),
    isInteger ? intField(3, value) : floatField(2, value.float),
    intField(20, isInteger ? 2 : 1),
  ]);
}

function floatField(field: number, value: number): Buffer {
  return Buffer.concat([varint((field << 3) | fixed32Type), new Uint8Array(Float32Array.of(value).buffer)]);
}

/**
 * Encodes a NodeProto. The field numbers are 1 for input, 2 for output, 3 for name, 4 for op_type, 5 for
 * attribute, and 7 for domain.
 * @param domain the operator set that defines the operator, by default ONNX's standard operator set
 */
export function node(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  domain = '',
): Buffer {
  return Buffer.concat([
    ...inputs.map((input) => bytesField(1, input)),
    bytesField(2, output),
    bytesField(3, output),
    bytesField(4, operator),
    ...Object.entries(attributes).map(([name, value]) => bytesField(5, attribute(name, value))),
    ...(domain === '' ? [] : [bytesField(7, domain)]),
  ]);
}

/** Encodes a ValueInfoProto for a tensor. A named dimension can have any size. */
export function valueInfo(name: string, type: number, dimensions: readonly (number | string)[]): Buffer {
  const shape = dimensions.map((size) =>
    bytesField(1, typeof size === 'number' ? intField(1, size) : bytesField(2, size)),
  );
  const tensorType = Buffer.concat([intField(1, type), bytesField(2, Buffer.concat(shape))]);
  return Buffer.concat([bytesField(1, name), bytesField(2, bytesField(1, tensorType))]);
}

export interface Graph {
  readonly name: string;
  readonly nodes: readonly Buffer[];
  readonly initializers: readonly Buffer[];
  readonly inputs: readonly Buffer[];
  readonly outputs: readonly Buffer[];
}

/**
 * Encodes a ModelProto. The field numbers are 1 for ir_version, 2 for producer_name, 7 for graph, and 8 for
 * opset_import.
 * @param domains further operator sets that the graph uses, each in version 1
 */
export function model(graph: Graph, opset: number, domains: readonly string[] = []): Buffer {
  const body = Buffer.concat([
    ...graph.nodes.map((each) => bytesField(1, each)),
    bytesField(2, graph.name),
    ...graph.initializers.map((each) => bytesField(5, each)),
    ...graph.inputs.map((each) => bytesField(11, each)),
    ...graph.outputs.map((each) => bytesField(12, each)),
  ]);
  return Buffer.concat([
    intField(1, 8),
    bytesField(2, 'agent-gateway'),
    bytesField(7, body),
    bytesField(8, intField(2, opset)),
    ...domains.map((domain) => bytesField(8, Buffer.concat([bytesField(1, domain), intField(2, 1)]))),
  ]);
}
