import type { RequestOrigin } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { AccountDatabase } from '../persistence/account-database.ts';
import { auditUser } from './audit-person.ts';
import type { GuessLimit } from './guess-limit.ts';
import { createMailToken, linkLifetimeMs, type MailPurpose } from './mail-tokens.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends one email. The promise rejects if the mail server has not accepted the email after several attempts. */
export interface MailSender {
  send(mail: Mail): Promise<void>;
  close(): void;
}

export interface LinkMailsOptions {
  /** The `iss` claim in session tokens. */
  readonly issuer: string;
  readonly database: AccountDatabase;
  readonly guesses: GuessLimit;
  readonly mailPepper: Buffer;
  readonly sender: MailSender;
  /** The gateway's origin for links, without a trailing slash. */
  readonly publicUrl: string;
  readonly countMail: (purpose: MailPurpose, outcome: 'sent' | 'limited' | 'failed') => void;
  /**
   * A callback that receives the error if an email could not be sent. Null if the person could not be looked
   * up.
   */
  readonly onError: (error: unknown, userId: string | null) => void;
}

const parallelMax = 4;
/** Maximum number of emails in the queue. If the queue is full, email requests are rejected. */
const waitingMax = 256;
const closeWithinMs = 5_000;

interface WaitingMail {
  readonly purpose: MailPurpose;
  readonly email: string;
  readonly origin: RequestOrigin | undefined;
}

/**
 * Sends links by email after the reply to the request, so that the reply takes the same time for known and unknown
 * email addresses. Emails wait in memory until they are sent. If the process ends while an email is waiting, the
 * person must request the link again.
 */
export class LinkMails {
  readonly #options: LinkMailsOptions;
  readonly #waiting: WaitingMail[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(options: LinkMailsOptions) {
    this.#options = options;
  }

  /**
   * Queues an email to an address, whether or not the address is known. Throws `service_unavailable` if too
   * many emails are waiting.
   */
  request(purpose: MailPurpose, email: string, origin: RequestOrigin | undefined): void {
    if (!this.offer(purpose, email, origin)) throw new GatewayError('service_unavailable');
  }

  /** Queues an email. Returns false if too many emails are waiting. */
  offer(purpose: MailPurpose, email: string, origin?: RequestOrigin): boolean {
    if (this.#waiting.length >= waitingMax) return false;
    this.#waiting.push({ purpose, email, origin });
    this.#fill();
    return true;
  }

  /** Waits up to a few seconds for the emails in progress, and closes the connections to the mail server. */
  async close(): Promise<void> {
    this.#waiting.length = 0;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), closeWithinMs);
    await Promise.race([Promise.all(this.#running), late.promise]);
    clearTimeout(timer);
    this.#options.sender.close();
  }

  #fill(): void {
    while (this.#running.size < parallelMax) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const sending: Promise<void> = this.#send(next).finally(() => {
        this.#running.delete(sending);
        this.#fill();
      });
      this.#running.add(sending);
    }
  }

  /** Sends an email. The returned promise never rejects. */
  async #send({ purpose, email, origin }: WaitingMail): Promise<void> {
    const { database, guesses, mailPepper, sender, publicUrl, countMail, onError } = this.#options;
    let userId: string | null = null;
    try {
      const user = await database.acrossAccounts.identityUser.findUnique({ where: { email } });
      if (user === null || (purpose === 'verify-email' && user.emailVerifiedAt !== null)) return;
      userId = user.id;
      if (!(await guesses.allows('mail', `${purpose}:${email}`))) {
        countMail(purpose, 'limited');
        return;
      }
      if (purpose === 'reset-password') {
        const event = { action: 'password.reset_requested', origin } as const;
        await auditUser(database.acrossAccounts, this.#options, user, event);
      }
      const lifetimeMs = linkLifetimeMs[purpose];
      const created = { userId, purpose, lifetimeMs, provesEmail: true };
      const token = await createMailToken(database, mailPepper, created);
      await sender.send({ to: email, ...renderMail(purpose, renderLink(publicUrl, purpose, token)) });
      countMail(purpose, 'sent');
    } catch (error) {
      countMail(purpose, 'failed');
      onError(error, userId);
    }
  }
}

/**
 * The URL of the dashboard page that accepts the token. The token in a link is in the URL's fragment, which
 * browsers do not send to servers. A server log or referrer never contains the token.
 */
export function renderLink(publicUrl: string, purpose: MailPurpose, token: string): string {
  return `${publicUrl}/dashboard/${purpose}#token=${token}`;
}

function renderMail(purpose: MailPurpose, link: string): { subject: string; text: string } {
  if (purpose === 'reset-password')
    return {
      subject: 'Reset your password',
      text: `Hello,

someone requested a new password for your login at the agent gateway. Open this link to choose one:

${link}

The link works once and expires in one hour. If you did not request it, ignore this mail: your password stays
the same.
`,
    };
  return {
    subject: 'Verify your e-mail address',
    text: `Hello,

someone signed up at the agent gateway with this e-mail address. If it was you, open this link to verify the
address:

${link}

The link works once and expires in 24 hours. If you did not sign up, ignore this mail.
`,
  };
}
