import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An email that the server has accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The email's headers and body as sent, with the quoted-printable encoding removed. */
  readonly text: string;
}

/** An SMTP server on loopback, which stores all emails. */
export interface MailServer {
  readonly port: number;
  /** The URL of the SMTP server in the form `smtp://127.0.0.1:<port>`. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  close(): Promise<void>;
}

/**
 * Starts the SMTP server. By default, the server supports neither TLS nor authentication. The given `options`
 * take precedence over the default options.
 */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, text: decode(Buffer.concat(chunks).toString('utf8')) });
        done();
      });
    },
    ...options,
  });
  // Errors are ignored, because some test clients close the connection early.
  server.on('error', () => undefined);
  const listening = Promise.withResolvers<undefined>();
  const listener = server.listen(0, '127.0.0.1', () => listening.resolve(undefined));
  await listening.promise;
  const { port } = listener.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port, url: `smtp://127.0.0.1:${port}`, mails, close };
}

function decode(text: string): string {
  return text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Returns the origin, path and token of an email's dashboard link. */
export function readLink({ text }: ReceivedMail): { origin: string; path: string; token: string } {
  const match = /(https?:\/\/[^/\s]+)(\/dashboard\/[a-z-]+)#token=(mt-svc-[\w-]{43})(?![\w-])/.exec(text);
  if (!match) throw new Error(`There is no link in this mail:\n${text}`);
  const [, origin = '', path = '', token = ''] = match;
  return { origin, path, token };
}
