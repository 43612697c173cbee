import type { contractTable, ServiceName } from '@gateway/contracts';

/** The permissions of one NATS user. The NATS server rejects every subject that is not listed. */
export interface SubjectRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /**
   * Whether the user may reply to requests. A user that serves requests may publish one reply to each
   * request's reply subject.
   */
  readonly answers: boolean;
}

export const natsUsers: readonly ServiceName[] = [
  'edge-gateway',
  'tool-router',
  'compressor',
  'account',
  'provider-vault',
  'billing',
  'worker',
  'operator',
];

/**
 * A NATS user that receives every message and sends none. Tests subscribe as the NATS user `observer` to
 * search messages for secrets. The user exists only in stacks with `hasObserver`.
 */
export const observer = 'observer';

/**
 * Maximum size of a NATS message in bytes. Messages contain tool lists and context blocks. The pipeline skips
 * tool lists and context blocks that exceed this size.
 */
const PAYLOAD_BYTES_MAX = 8 * 1024 * 1024;
/** Maximum time for a reply. The deadlines of all RPC contracts are shorter than this time. */
const ANSWER_WITHIN = '30s';

/**
 * Derives NATS permissions from the RPC contracts. A user may publish the calls and broadcasts that its
 * service sends. A user may subscribe to the subjects that its service serves or listens to.
 */
export function chooseSubjectRights(user: ServiceName, contracts: typeof contractTable): SubjectRights {
  const publish: string[] = [];
  const subscribe: string[] = [];
  let calls = false;
  let answers = false;
  for (const contract of contracts) {
    if (contract.kind === 'broadcast') {
      if (contract.publisher === user) publish.push(contract.subject);
      if (contract.listeners.includes(user)) subscribe.push(contract.subject);
      continue;
    }
    const subject = contract.perInstance ? `${contract.subject}.*` : contract.subject;
    if (contract.callers.includes(user)) publish.push(subject);
    if (contract.server === user) subscribe.push(subject);
    calls ||= contract.callers.includes(user);
    answers ||= contract.server === user;
  }
  if (calls) subscribe.push(`_INBOX_${user}.>`);
  return { publish, subscribe, answers };
}

/**
 * nats-server treats `allow: []` as unrestricted, so an empty list becomes a `deny` rule for all subjects.
 */
function renderSubjects(subjects: readonly string[]): string {
  return subjects.length === 0 ? '{ deny: [">"] }' : `{ allow: ${JSON.stringify(subjects)} }`;
}

function renderUser(user: string, password: string, rights: SubjectRights): string {
  return `    {
      user: ${JSON.stringify(user)}
      password: ${JSON.stringify(password)}
      permissions: {
        publish: ${renderSubjects(rights.publish)}
        subscribe: ${renderSubjects(rights.subscribe)}${
          rights.answers ? `\n        allow_responses: { max: 1, expires: "${ANSWER_WITHIN}" }` : ''
        }
      }
    }`;
}

function renderTls(tls: Readonly<Record<'certFile' | 'keyFile', string>> | undefined): string {
  if (tls === undefined) return '';
  const files = `cert_file: ${JSON.stringify(tls.certFile)}, key_file: ${JSON.stringify(tls.keyFile)}`;
  return `tls: { ${files}, timeout: 5 }\n`;
}

/**
 * Renders a nats-server configuration with one user and password per service, and without an anonymous user.
 * Throws if a password is missing.
 */
export function renderNatsConfig(options: {
  readonly host: string;
  readonly port: number;
  /** Port of the monitoring endpoint, on loopback only. By default, the NATS monitoring endpoint is off. */
  readonly monitorPort?: number;
  /** TLS settings. If set, the server accepts only TLS connections. */
  readonly tls?: Readonly<Record<'certFile' | 'keyFile', string>>;
  readonly passwords: Readonly<Record<string, string>>;
  readonly contracts: typeof contractTable;
}): string {
  const users = natsUsers.map((user) => {
    const password = options.passwords[user];
    if (!password) throw new Error(`The NATS user ${user} has no password.`);
    return renderUser(user, password, chooseSubjectRights(user, options.contracts));
  });
  const observerPassword = options.passwords[observer];
  if (observerPassword)
    users.push(renderUser(observer, observerPassword, { publish: [], subscribe: ['>'], answers: false }));
  return `host: ${JSON.stringify(options.host)}
port: ${options.port}
${options.monitorPort === undefined ? '' : `http: "127.0.0.1:${options.monitorPort}"\n`}${renderTls(options.tls)}max_payload: ${PAYLOAD_BYTES_MAX}
max_pending: ${8 * PAYLOAD_BYTES_MAX}
authorization: {
  timeout: 5
  users: [
${users.join('\n')}
  ]
}
`;
}
