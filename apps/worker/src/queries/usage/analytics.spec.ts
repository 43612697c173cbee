import { narrowLog } from './analytics.ts';

describe('a filtered part of the log', () => {
  it('is the whole log without a filter', () => {
    expect(narrowLog({})).toEqual({
      sql: ', narrowed AS NOT MATERIALIZED (SELECT * FROM own )',
      values: [],
    });
  });

  it('applies every field of a filter, and inserts no value into the SQL', () => {
    const { sql, values } = narrowLog({ key_id: 'k', model: "m' OR true", session_id: 's' });
    expect(sql).toContain('key_id = $4::uuid AND session_id = $5::text AND ($6::text IN');
    expect(sql).not.toContain('true');
    expect(values).toEqual(['k', 's', "m' OR true"]);
  });
});
