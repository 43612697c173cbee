/** Parts of a text that an encoder may weigh differently. Their order gives the ids in a model's `field_ids`, from 1. */
export const encoderFields = [
  'query',
  'context',
  'name',
  'description',
  'parameterName',
  'parameterDescription',
  'enumValue',
  'example',
] as const;
export type EncoderField = (typeof encoderFields)[number];

export interface EncoderPart {
  readonly field: EncoderField;
  readonly text: string;
}

/** What becomes one vector. An encoder that knows no fields reads the parts' texts one after another. */
export type EncoderText = readonly EncoderPart[];
