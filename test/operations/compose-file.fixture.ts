/** Reads deploy/compose.yaml as Docker Compose would, with the variables of an environment file. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const condition = z.enum(['service_started', 'service_healthy', 'service_completed_successfully']);
const service = z.looseObject({
  image: z.string(),
  profiles: z.array(z.string()).default([]),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition })).default({}),
});
const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});
export type ComposeService = z.output<typeof service>;

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, and `$$` with `$`. Throws if a variable without a
 * default is not set. Docker Compose would only warn about `${NAME}` without a value.
 */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$(?:\$|\{(\w+)(?::([-?])([^}]*))?\})/g,
    (match, name?: string, kind?: string, word = '') => {
      if (name === undefined) return '$';
      const value = variables[name] ?? '';
      if (value !== '') return value;
      if (kind === '-') return String(word);
      throw new Error(`${match} of the compose file has no value.`);
    },
  );
}

/** The variables of an environment file with lines of the form `NAME=value`. */
function readEnvFile(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
}

/** Returns the services that `up` starts with the given profiles. Paths on the machine are absolute. */
export function readComposeFile(
  file: string,
  envFile: string,
  profiles: readonly string[],
): ReadonlyMap<string, ComposeService> {
  const variables = readEnvFile(envFile);
  const fill = (_: unknown, value: unknown) =>
    typeof value === 'string' ? interpolate(value, variables) : value;
  const { services } = composeFile.parse(parse(readFileSync(file, 'utf8'), fill, { merge: true }));
  const chosen = Object.entries(services).filter(
    ([, each]) => each.profiles.length === 0 || each.profiles.some((profile) => profiles.includes(profile)),
  );
  const toPath = (volume: string) => (volume.startsWith('.') ? resolve(dirname(file), volume) : volume);
  return new Map(chosen.map(([name, each]) => [name, { ...each, volumes: each.volumes.map(toPath) }]));
}
