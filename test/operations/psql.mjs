// Runs the statements of a script of the Postgres image, with the options of psql that the repository's scripts use.
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import pg from 'pg';

const { values } = parseArgs({
  options: {
    v: { type: 'string', short: 'v' },
    username: { type: 'string' },
    dbname: { type: 'string' },
    command: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
  },
});
const variables = new Map(values.set.map((pair) => /** @type {[string, string]} */ (pair.split(/=(.*)/s))));
const source = values.command ?? (await text(process.stdin));
const client = new pg.Client({
  host: process.env.PGHOST,
  user: values.username,
  database: values.dbname,
  password: process.env.POSTGRES_PASSWORD,
});
await client.connect();
const filled = source
  .replaceAll(/:"(\w+)"/g, (_, name) => client.escapeIdentifier(variables.get(name) ?? ''))
  .replaceAll(/:'(\w+)'/g, (_, name) => client.escapeLiteral(variables.get(name) ?? ''));
for (const statement of filled.split(/;\s*(?:\n|$)/).filter((each) => each.trim() !== ''))
  await client.query(statement);
await client.end();
