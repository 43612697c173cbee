/**
 * The members of a Converse request: `ConverseRequest` and `ConverseStreamRequest` of the AWS SDK, which a test holds
 * this list to. `modelId` belongs into the address; clients that put it into the body as well are not refused.
 */
export const requestFields = [
  'modelId',
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'promptVariables',
  'additionalModelResponseFieldPaths',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
] as const;
