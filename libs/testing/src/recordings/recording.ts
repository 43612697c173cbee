import { z } from 'zod';

/**
 * A line in the file index.jsonl of the recordings. Tests compare bytes if `fidelity` is `raw`, and otherwise
 * compare the parsed contents.
 */
export const recordingEntry = z.object({
  id: z.string(),
  provider: z.string(),
  api: z.string(),
  model: z.string().nullable(),
  streaming: z.boolean(),
  status: z.int(),
  fidelity: z.enum(['raw', 'normalised', 'reserialized', 'reframed']),
  request_fidelity: z.string().nullish(),
  is_error: z.boolean(),
  midstream_error: z.boolean(),
  has_tools: z.boolean(),
  has_tool_calls: z.boolean(),
  parallel_tool_calls: z.boolean().optional(),
  has_thinking: z.boolean().optional(),
  has_images: z.boolean().optional(),
  notable: z.boolean().optional(),
  url_path: z.string().nullish(),
  content_type: z.string().nullish(),
  tags: z.array(z.string()),
  request_file: z.string().nullable(),
  response_file: z.string().nullable(),
  meta_file: z.string().nullable(),
});
export type RecordingEntry = z.infer<typeof recordingEntry>;

/** A recorded exchange with a provider. Bodies are read on demand. */
export interface Recording extends RecordingEntry {
  /** The request body. Undefined if only the response was recorded. */
  readonly request: () => Buffer | undefined;
  readonly response: () => Buffer | undefined;
}
