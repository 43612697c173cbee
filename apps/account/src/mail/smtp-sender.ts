import { setTimeout as waitMs } from 'node:timers/promises';
import { createTransport, type Transporter } from 'nodemailer';
import type SMTPPool from 'nodemailer/lib/smtp-pool';
import type { Mail, MailSender } from '../identity/link-mails.ts';

export interface SmtpOptions {
  /**
   * The mail server's address starts with `smtp://` or `smtps://`, and contains a user and password if the
   * server requires a sign-in.
   */
  readonly url: string;
  /** The sender of emails, given as an address or as `Name <address>`. */
  readonly from: string;
  /** The pauses before the second and each later attempt to send an email, in milliseconds. */
  readonly retryAfterMs?: readonly number[];
}

const connectionTimeoutMs = 10_000;
const silenceTimeoutMs = 20_000;
const defaultRetryAfterMs = [1_000, 5_000];
const permanentFrom = 500;

/**
 * A failed delivery of an email. The error message contains only SMTP and network error codes. A mail
 * server's error text may quote the recipient or the email, and the email contains a secret link.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** Whether another attempt to send the email may succeed. */
  readonly isTemporary: boolean;

  constructor(code: string, responseCode: number | undefined) {
    super(`The mail server did not accept the mail: ${code}${responseCode ? ` ${responseCode}` : ''}.`);
    this.isTemporary = (responseCode ?? 0) < permanentFrom;
  }
}

/** Sends emails through an SMTP server. The mailer keeps a few connections to the SMTP server open. */
export class SmtpSender implements MailSender {
  readonly #transport: Transporter<SMTPPool.SentMessageInfo, SMTPPool.Options>;
  readonly #from: string;
  readonly #retryAfterMs: readonly number[];

  constructor({ url, from, retryAfterMs = defaultRetryAfterMs }: SmtpOptions) {
    this.#transport = createTransport(renderOptions(new URL(url)));
    this.#from = from;
    this.#retryAfterMs = retryAfterMs;
  }

  async send(mail: Mail): Promise<void> {
    for (const pauseMs of this.#retryAfterMs) {
      const error = await this.#attempt(mail);
      if (error === null) return;
      if (!error.isTemporary) throw error;
      await waitMs(pauseMs);
    }
    const error = await this.#attempt(mail);
    if (error !== null) throw error;
  }

  close(): void {
    this.#transport.close();
  }

  async #attempt({ to, subject, text }: Mail): Promise<MailError | null> {
    try {
      await this.#transport.sendMail({
        from: this.#from,
        // The recipient is passed as an object, so that the mail library does not parse it as a list of addresses.
        to: { name: '', address: to },
        subject,
        text,
        // The header `Auto-Submitted` prevents automatic replies (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return null;
    } catch (error) {
      const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
      return new MailError(
        typeof code === 'string' ? code : 'unknown error',
        typeof responseCode === 'number' ? responseCode : undefined,
      );
    }
  }
}

/**
 * Parses the address of the mail server. An address with `smtps:` uses TLS from the start. An address with
 * `smtp:` upgrades to TLS if the server offers STARTTLS. If the address contains credentials, TLS is
 * required, so that the password is never sent in plain text.
 */
function renderOptions({ protocol, hostname, port, username, password }: URL): SMTPPool.Options {
  const secure = protocol === 'smtps:';
  return {
    pool: true,
    maxConnections: 2,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username === ''
      ? {}
      : {
          requireTLS: true,
          auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
        }),
    connectionTimeout: connectionTimeoutMs,
    greetingTimeout: connectionTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    // The log of the mail library is turned off, because it would contain emails.
    logger: false,
    debug: false,
  };
}
