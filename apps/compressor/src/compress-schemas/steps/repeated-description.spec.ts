import { compressedSchema, compressedText } from '../compressed-text.fixture.ts';

describe('descriptions', () => {
  it.each(['user_id', 'userId', 'User ID', 'The user id.', 'a user-ID', '', '  '])(
    'of user_id are dropped when they are %j',
    (text) => {
      const schema = { properties: { user_id: { type: 'string', description: text } } };
      expect(compressedSchema(schema).schema).toEqual({ properties: { user_id: { type: 'string' } } });
    },
  );

  it.each(['id of the user', 'user ids', 'User ID (numeric)', 'user id ≥ 1', '…', 'идентификатор'])(
    'of user_id are kept when they are %j',
    (text) => {
      const schema = { properties: { user_id: { description: text } } };
      expect(compressedSchema(schema).schema).toEqual(schema);
    },
  );

  it('of a tool are dropped if they repeat the tool’s name, and of a schema if they repeat the tool’s description', () => {
    const tool = { name: 'create_issue', description: 'Create issue', input_schema: { type: 'object' } };
    expect(JSON.parse(compressedText(JSON.stringify(tool)))).toEqual({ ...tool, description: undefined });
    const again = { ...tool, description: 'Opens one', input_schema: { description: 'Opens one' } };
    expect(JSON.parse(compressedText(JSON.stringify(again)))).toEqual({ ...again, input_schema: {} });
  });

  it('are kept as property names and inside values', () => {
    const schema = {
      properties: { description: { type: 'string', default: { description: '' } } },
      enum: [{ description: '' }],
    };
    expect(compressedSchema(schema).schema).toEqual(schema);
  });
});
