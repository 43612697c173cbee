// `npm run migrate -- [owner…]` migrates each owner's database at <OWNER>_DATABASE_URL.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap/stack/root.ts';
import { migrateDatabase } from './migrate-database.ts';

const prismaDir = join(root, 'prisma');
const owners = readdirSync(prismaDir).filter((owner) => existsSync(join(prismaDir, owner, 'schema.prisma')));
const named = process.argv.slice(2);
const unknown = named.filter((owner) => !owners.includes(owner));
if (unknown.length > 0) throw new Error(`There is no prisma/<owner> for: ${unknown.join(', ')}`);

for (const owner of named.length > 0 ? named : owners) {
  const variable = `${owner.toUpperCase()}_DATABASE_URL`;
  const url = process.env[variable];
  if (!url) throw new Error(`${variable} is not set.`);
  const applied = await migrateDatabase(join(prismaDir, owner), url);
  console.log(`${owner}: ${applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`}`);
}
