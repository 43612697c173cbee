import { defineConfig } from 'prisma/config';

/** The configuration for the Prisma CLI: `prisma migrate deploy --config prisma/account/prisma.config.ts`. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  datasource: { url: process.env['ACCOUNT_DATABASE_URL'] ?? '' },
});
