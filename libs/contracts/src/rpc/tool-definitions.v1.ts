import { z } from 'zod';
import { base64, count, id, sha256Hex } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** Maximum number of tools that the worker assesses together. */
const toolsMax = 1_000;
/**
 * Maximum number of distinct words in the tool names. A message with the maximum number of words and tools
 * stays well below the message size limit.
 */
const wordsMax = 2_000;

/**
 * Computes tool embeddings with the router's encoder, for comparing tools. The router does not store the
 * embeddings.
 */
export const embedTools = defineRpc({
  subject: 'tool-router.embed-tools.v1',
  server: 'tool-router',
  callers: ['worker'],
  deadlineMs: 5_000,
  request: z.object({
    tools: z
      .array(
        z.object({
          name: z.string().max(256),
          description: z.string(),
          /** The JSON Schema of the tool's arguments, or null. */
          parameters: z.unknown(),
        }),
      )
      .max(toolsMax),
    words: z.array(z.string().max(64)).max(wordsMax),
  }),
  reply: z.object({
    /**
     * Little-endian 32-bit float vectors of unit length, in request order. The vectors are null if the router
     * runs no encoder.
     */
    vectors: z.object({ dimensions: z.int().positive(), tools: base64, words: base64 }).nullable(),
  }),
});

/** Sends tool definitions to the router instance that replied `unknown`. */
export const defineTools = defineRpc({
  subject: 'tool-router.define-tools.v1',
  server: 'tool-router',
  callers: ['edge-gateway'],
  perInstance: true,
  deadlineMs: 150,
  request: z.object({
    /**
     * The account to which the encoder time for embedding new definitions is charged. Gateways of the
     * previous release omit `accountId`.
     */
    accountId: id.optional(),
    tools: z.array(
      z.object({
        hash: sha256Hex,
        /** The tool's name. Null for built-in tools without a name. */
        name: z.string().nullable(),
        description: z.string(),
        /** The JSON Schema of the tool's arguments as the client wrote it, or null. */
        parameters: z.unknown(),
        /** Example requests for which this tool is the right choice (`x-svc-examples`). */
        examples: z.array(z.string()),
      }),
    ),
  }),
  reply: z.object({ known: count }),
});
export type DefineToolsRequest = z.infer<typeof defineTools.request>;
export type ToolDefinition = DefineToolsRequest['tools'][number];

/**
 * Sends the tool list of a request to the worker, which assesses the tool descriptions. The worker stores
 * only scores, reasons and names. The worker does not store the definitions.
 */
export const assessTools = defineRpc({
  subject: 'worker.assess-tools.v1',
  server: 'worker',
  callers: ['edge-gateway'],
  deadlineMs: 10_000,
  request: z.object({
    accountId: id,
    tools: z
      .array(
        z.object({
          name: z.string().max(256),
          description: z.string(),
          /** The JSON Schema of the tool's arguments, or null. */
          parameters: z.unknown(),
          examples: z.array(z.string()),
        }),
      )
      .max(toolsMax),
  }),
  reply: z.object({ assessed: count }),
});
