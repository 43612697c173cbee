import { createDatabase, type Database, type DatabaseOptions, type Models } from '@gateway/persistence';
import { PrismaClient, type Prisma } from '../../../../prisma/telemetry/generated/client.ts';

export type { RequestLog as RequestLogRecord } from '../../../../prisma/telemetry/generated/client.ts';

/** A filter for request log queries. */
export type TelemetryWhere = Prisma.RequestLogWhereInput;
/** The order of request log queries. */
export type TelemetryOrder = Prisma.RequestLogOrderByWithRelationInput;
export type TelemetryDatabase = Database<PrismaClient>;
export const TELEMETRY_DATABASE = Symbol('TelemetryDatabase');
export type TelemetryModels = Models<PrismaClient>;

/** Opens the worker's database. */
export function createTelemetryDatabase(
  options: Pick<DatabaseOptions<PrismaClient>, 'url' | 'onConnectionError'>,
): TelemetryDatabase {
  return createDatabase({
    ...options,
    applicationName: 'worker',
    createClient: (adapter) => new PrismaClient({ adapter }),
  });
}
