import { defineConfig } from 'prisma/config';

/** The configuration for the Prisma CLI: `prisma migrate deploy --config prisma/telemetry/prisma.config.ts`. */
export default defineConfig({
  schema: 'schema.prisma',
  migrations: { path: 'migrations' },
  datasource: { url: process.env['TELEMETRY_DATABASE_URL'] ?? '' },
});
