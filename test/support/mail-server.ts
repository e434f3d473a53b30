// A real SMTP server for tests, on a free port, that records the mails it accepts.
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** By lower-case name. */
  headers: Record<string, string>;
  text: string;
  user: string | null;
  /** The name in the client's EHLO. */
  greeting: string;
}

export interface TestMailServer extends AsyncDisposable {
  port: number;
  /** The credentials are `herald` and `hunter2`. */
  url: string;
  mails: readonly ReceivedMail[];
  /** How many times a client sent a mail, including rejected ones. */
  offered: number;
  /** How many clients are connected. */
  connections: () => number;
  /** The reply to the next mails: a code to reject them with, `hang` for none; null accepts them. */
  reply: number | 'hang' | null;
}

const login = { user: 'herald', password: 'hunter2' };

export async function startMailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];

  async function receive(
    stream: SMTPServerDataStream,
    { envelope, user = null, hostNameAppearsAs: greeting }: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    const raw = await readText(stream);
    server.offered += 1;
    const { reply } = server;
    if (reply === 'hang') return;
    if (reply !== null) {
      done(Object.assign(new Error(`refused with ${reply}`), { responseCode: reply }));
      return;
    }
    const { mailFrom, rcptTo } = envelope;
    const from = mailFrom === false ? '' : mailFrom.address;
    const to = rcptTo.map(({ address }) => address);
    mails.push({ ...readMail(raw), from, to, user, greeting });
    done();
  }

  const smtp = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: options.secure === true || options.key !== undefined ? [] : ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      if (username === login.user && password === login.password) done(null, { user: username });
      else done(Object.assign(new Error('wrong credentials'), { responseCode: 535 }));
    },
    onData: (stream, session, done) => void receive(stream, session, done),
    ...options,
  });
  // A client that disconnects is not an error of the server.
  smtp.on('error', () => undefined);
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  const address = smtp.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const scheme = options.secure === true ? 'smtps' : 'smtp';
  const server: TestMailServer = {
    port,
    url: `${scheme}://${login.user}:${login.password}@127.0.0.1:${port}`,
    mails,
    offered: 0,
    connections: () => smtp.connections.size,
    reply: null,
    [Symbol.asyncDispose]: () => new Promise((resolve) => smtp.close(resolve)),
  };
  return server;
}

function readMail(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = raw.slice(end + 4);
  const encoding = headers['content-transfer-encoding'];
  const text = encoding === 'quoted-printable' ? fromQuotedPrintable(body) : body;
  return { headers, text: text.replaceAll('\r\n', '\n') };
}

function fromQuotedPrintable(body: string): string {
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
