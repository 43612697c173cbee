import type { SMTPServerOptions } from 'smtp-server';
import { SmtpSender } from '../../../apps/account/src/mail/smtp-sender.ts';
import { startMailServer, type MailServer } from './mail-server.fixture.ts';

const from = 'Agent gateway <noreply@gateway.example>';
const mail = { to: 'person@example.com', subject: 'Hello', text: 'secret-link-0123456789\n' };

let server: MailServer;
let sender: SmtpSender;

async function start(options: SMTPServerOptions = {}, credentials = ''): Promise<void> {
  server = await startMailServer(options);
  const url = server.url.replace('smtp://', `smtp://${credentials}`);
  sender = new SmtpSender({ url, from, retryAfterMs: [20, 20] });
}
afterEach(async () => {
  sender.close();
  await server.close();
});

it('an email arrives with its sender, recipient and text', async () => {
  await start();
  await sender.send(mail);
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]).toMatchObject({ from: 'noreply@gateway.example', to: ['person@example.com'] });
  expect(server.mails[0]?.text).toContain('secret-link-0123456789');
  expect(server.mails[0]?.text).toContain('Auto-Submitted: auto-generated');
});

it('an address with line breaks cannot add recipients or headers to an email', async () => {
  await start();
  const to = '"x, other@example.com\r\nBcc: third@example.com"@example.com';
  await sender.send({ ...mail, to }).catch(() => undefined);
  expect(server.mails.flatMap((each) => each.to)).not.toContain('other@example.com');
  expect(server.mails.flatMap((each) => each.to)).not.toContain('third@example.com');
});

const refuse = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

it('an email is sent again after a temporary refusal', async () => {
  let attempts = 0;
  await start({
    onRcptTo: (_address, _session, done) => {
      attempts += 1;
      done(attempts < 3 ? refuse(451, 'greylisted') : undefined);
    },
  });
  await sender.send(mail);
  expect([attempts, server.mails.length]).toEqual([3, 1]);
});

it('an email is not sent again after a permanent refusal, and the error contains no text of the server or email', async () => {
  let attempts = 0;
  await start({
    onRcptTo: (_address, _session, done) => {
      attempts += 1;
      done(refuse(550, `no such person: ${mail.to} ${mail.text}`));
    },
  });
  const error: unknown = await sender.send(mail).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'MailError', isTemporary: false });
  expect(String(error)).toContain('550');
  expect(JSON.stringify([error, String(error), (error as Error).cause])).not.toMatch(/secret-link|person@/);
  expect(attempts).toBe(1);
});

it('the SMTP password is never sent without TLS', async () => {
  let offered = 0;
  await start(
    {
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => {
        offered += 1;
        done(null, { user: 'user' });
      },
    },
    'user:password@',
  );
  await expect(sender.send(mail)).rejects.toThrow('ETLS');
  expect([offered, server.mails.length]).toEqual([0, 0]);
});
