import type { AuditAction, AuditFilter } from '../../api/audit.ts';
import { auditActions } from './describe-event.ts';

/** The names of the audit log's filters in the address of the page. */
export const filterNames = ['action', 'actor', 'since', 'until'] as const;
export type FilterName = (typeof filterNames)[number];

const actorLengthMax = 320;

/** Parses the filters in the address of the page. Invalid filters are ignored, and are not sent to the gateway. */
export function parseAuditQuery(params: URLSearchParams): AuditFilter {
  const filter: { -readonly [Name in FilterName]?: string } = {};
  for (const name of filterNames) {
    const value = params.get(name)?.trim() ?? '';
    if (value !== '' && isSound(name, value)) filter[name] = value;
  }
  return filter as AuditFilter;
}

function isSound(name: FilterName, value: string): boolean {
  switch (name) {
    case 'action':
      return auditActions.includes(value as AuditAction);
    case 'actor':
      return value.length <= actorLengthMax;
    case 'since':
    case 'until':
      return !Number.isNaN(Date.parse(value));
  }
}
