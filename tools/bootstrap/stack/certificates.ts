import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireProgram } from './programs.ts';

/** Paths to the PEM files of a server certificate. */
export interface ServerCertificate {
  /** The path of the certificate authority's certificate, which clients trust. */
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const days = '3650';
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * Creates a server certificate for the given names and addresses, signed by a new certificate authority.
 * Reuses an existing certificate. The function deletes the authority's key, so the authority can never sign
 * another certificate. The function requires the openssl program.
 */
export function makeServerCertificate(
  directory: string,
  names: { readonly dns: readonly string[]; readonly ip: readonly string[] },
): ServerCertificate {
  const file = (name: string) => join(directory, name);
  const made = { caFile: file('ca.crt'), certFile: file('server.crt'), keyFile: file('server.key') };
  if (existsSync(made.certFile)) return made;
  mkdirSync(directory, { recursive: true });
  const openssl = (...words: string[]) =>
    execFileSync(requireProgram('openssl'), words, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  const altNames = [...names.dns.map((name) => `DNS:${name}`), ...names.ip.map((ip) => `IP:${ip}`)];
  writeFileSync(file('server.ext'), `subjectAltName=${altNames.join(',')}\nextendedKeyUsage=serverAuth\n`);
  const authority = ['-keyout', 'ca.key', '-out', 'ca.crt', '-days', days, '-subj', '/CN=agent-gateway'];
  openssl('req', '-x509', ...newKey, ...authority);
  const request = ['-keyout', 'server.key', '-out', 'server.csr', '-subj', `/CN=${names.dns[0] ?? 'server'}`];
  openssl('req', ...newKey, ...request);
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-extfile', 'server.ext', '-out', 'server.crt');
  execFileSync('rm', ['-f', 'ca.key', 'ca.srl', 'server.csr', 'server.ext'], { cwd: directory });
  chmodSync(made.keyFile, 0o600);
  return made;
}
