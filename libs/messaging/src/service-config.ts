import { randomUUID } from 'node:crypto';
import { z } from 'zod';

/** Treats an empty environment variable as unset. */
export function unlessEmpty<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema);
}

/**
 * Splits a URL with several hosts, such as `postgresql://user@a:5432,b:5432/database`. Returns one URL
 * per host.
 */
export function listHostUrls(url: string): string[] {
  const [head = '', hosts = ''] = /^[a-z-]+:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  const [start, rest] = [head.slice(0, head.length - hosts.length), url.slice(head.length)];
  return hosts.split(',').map((host) => `${start}${host}${rest}`);
}

function urlOfHosts(protocol: RegExp) {
  const ofOneHost = z.url({ protocol });
  return z.string().refine((url) => listHostUrls(url).every((each) => ofOneHost.safeParse(each).success), {
    error: 'Invalid URL',
  });
}

/** A Postgres URL with one host, or with several hosts of which one is the primary server. */
export const postgresUrl = urlOfHosts(/^postgres(ql)?$/);
/** The URL of a Redis server (`redis`, `rediss`), or of its Sentinels (`redis-sentinel`, `rediss-sentinel`). */
export const redisUrl = urlOfHosts(/^rediss?(-sentinel)?$/);

/** A TCP port. If a port is 0, the operating system chooses a free port. */
export const port = z.coerce.number().int().min(0).max(65_535);

/**
 * The environment variables that all services share. An app's own configuration is `z.object({
 * ...serviceVariables, … })`.
 */
export const serviceVariables = {
  NATS_URL: z.string().min(1),
  /** The service's name. The name determines the permissions of the service on the message bus. */
  NATS_USER: z.string().min(1),
  NATS_PASSWORD: z.string().min(1),
  /** The port for `/health/live`, `/health/ready` and `/metrics`. */
  HEALTH_PORT: port,
  HOST: unlessEmpty(z.string().default('127.0.0.1')),
  LOG_LEVEL: unlessEmpty(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  ),
  /** Base URL of an OTLP/HTTP receiver. Tracing is off if no URL is set. */
  OTEL_EXPORTER_OTLP_ENDPOINT: unlessEmpty(z.url().optional()),
  OTEL_TRACES_SAMPLE_RATIO: unlessEmpty(z.coerce.number().min(0).max(1).default(1)),
  /** Identifies this process among its replicas. The instance id consists of letters, digits, `-` and `_`. */
  INSTANCE_ID: unlessEmpty(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .default(() => randomUUID()),
  ),
};

export type ServiceConfig = z.output<z.ZodObject<typeof serviceVariables>>;

/**
 * Parses the environment variables. Throws a single error that lists every invalid variable, without the
 * variable's value.
 */
export function parseConfig<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The configuration is invalid. Correct these variables:\n${lines.join('\n')}`);
}
