/** What a client says of a tool. */
export interface ToolDescription {
  /** Null for a built-in tool without a name. */
  readonly name: string | null;
  readonly description: string;
  /** The JSON Schema of the arguments as the client wrote it, or null. */
  readonly parameters: unknown;
  /** `x-svc-examples`: texts that should lead to this tool. */
  readonly examples: readonly string[];
}
