import { z } from 'zod';
import { id, instant, timestamp } from '../base/common.ts';
import { pageOf, pageQuery } from '../base/list.ts';

/**
 * The action of an audit event. Action names are stable. A release may add action names, but never changes or
 * removes an action name.
 */
export const auditAction = z
  .enum([
    'account.registered',
    'account.updated',
    'account.person_attached',
    'key.created',
    'key.updated',
    'key.tool_lists_updated',
    'key.rotated',
    'key.revoked',
    'provider.saved',
    'provider.rotated',
    'provider.deleted',
    'routing.preferences_updated',
    'routing.model_toggled',
    'routing.model_declared',
    'routing.model_removed',
    'session.signed_in',
    'session.sign_in_failed',
    'session.signed_out',
    'session.refresh_token_reused',
    'password.changed',
    'password.reset_requested',
    'password.reset',
    'email.verified',
    'requests.exported',
    'audit.exported',
  ])
  .meta({
    description: 'The action of the event. Later releases can add actions.',
    examples: ['key.updated'],
  });
export type AuditAction = z.infer<typeof auditAction>;

/** The actions that other services report to the account service. */
export const reportedAuditAction = z.enum([
  'provider.saved',
  'provider.rotated',
  'provider.deleted',
  'requests.exported',
  'audit.exported',
]);

export const auditTarget = z.object({
  type: z.enum(['account', 'api_key', 'provider', 'model', 'routing_preferences', 'person', 'log']).meta({
    description: 'The type of the object that the action changed or read.',
    examples: ['api_key'],
  }),
  id: z
    .string()
    .max(320)
    .nullable()
    .meta({
      description: 'The id of a key or person, the name of a provider, or `<provider>/<model>`.',
      examples: ['0198b5c0-1111-7000-8000-000000000002'],
    }),
  name: z
    .string()
    .max(320)
    .nullable()
    .meta({
      description: 'The name of the object at the time of the action.',
      examples: ['Build agent'],
    }),
});
export type AuditTarget = z.infer<typeof auditTarget>;

/**
 * The changed fields, with the values before and after the change. A long value is replaced by its size.
 * Secrets are never included.
 */
export const auditChanges = z
  .record(z.string().max(64), z.object({ from: z.unknown(), to: z.unknown() }))
  .meta({
    description:
      'The changed fields, with the values before and after the change. A list or text over 1 KiB is replaced by its size, for example `{"items": 4096}`. Secrets are never included.',
    examples: [{ rate_limit_rpm: { from: 600, to: 60 } }],
  });
export type AuditChanges = z.infer<typeof auditChanges>;

/** One entry of an account's audit log. */
export const auditEvent = z.object({
  id,
  object: z.literal('audit_event'),
  created_at: timestamp,
  action: auditAction,
  actor: z
    .object({
      type: z.enum(['person', 'api_key', 'operator']).meta({
        description: 'The value `operator` means a command of the operator of this gateway.',
        examples: ['person'],
      }),
      id: id.nullable().meta({
        description: 'The id of the person or API key. Null for the operator.',
        examples: ['0198b5c0-2222-7000-8000-000000000003'],
      }),
      name: z
        .string()
        .nullable()
        .meta({
          description:
            'The user’s e-mail address (or subject at an external issuer), or the name of the API key, at the time of the action.',
          examples: ['ada@example.com'],
        }),
    })
    .meta({ description: 'The person, API key or operator that performed the action.' }),
  target: auditTarget.nullable().meta({ description: 'The object that the action changed or read.' }),
  changes: auditChanges.nullable(),
  address: z
    .string()
    .nullable()
    .meta({
      description: 'The client’s IP address. Behind a trusted proxy, the proxy reports the address.',
      examples: ['203.0.113.7'],
    }),
  user_agent: z
    .string()
    .nullable()
    .meta({
      description: 'The client’s User-Agent header, truncated to 256 characters.',
      examples: ['openai-python/2.1.0'],
    }),
  request_id: id.nullable().meta({
    description: 'The `X-Request-ID` header of the response.',
    examples: ['0198b5c0-3333-7000-8000-000000000004'],
  }),
});
export type AuditEvent = z.infer<typeof auditEvent>;
export const auditPage = pageOf(auditEvent);

const filters = {
  action: auditAction.optional(),
  actor: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .meta({
      description: 'The id or the exact name of the person or API key.',
      examples: ['ada@example.com'],
    }),
  since: instant.optional().meta({
    description: 'Start of the time range (RFC 3339), inclusive.',
    examples: ['2026-11-01T00:00:00Z'],
  }),
  until: instant.optional().meta({
    description: 'End of the time range (RFC 3339), exclusive.',
    examples: ['2026-12-01T00:00:00Z'],
  }),
};

export const auditQuery = pageQuery.extend(filters);
export const auditExportQuery = z.strictObject({
  format: z.enum(['csv', 'jsonl']).default('csv'),
  ...filters,
});
