import type { AccountDeletion } from '@gateway/contracts';
import type { Prisma } from '../persistence/account-database.ts';

export const withSteps = { steps: { orderBy: { position: 'asc' } } } as const;
type DeletionRow = Prisma.AccountDeletionGetPayload<{ include: typeof withSteps }>;

/** The receipt, as callers see it. */
export function renderDeletion(row: DeletionRow): AccountDeletion {
  return {
    id: row.id,
    object: 'account.deletion',
    status: mapStatus(row.completedAt),
    requested_at: row.requestedAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    steps: row.steps.map(({ service, completedAt }) => ({
      service,
      status: mapStatus(completedAt),
      completed_at: completedAt?.toISOString() ?? null,
    })),
  };
}

const mapStatus = (completedAt: Date | null) => (completedAt === null ? 'pending' : 'done');
