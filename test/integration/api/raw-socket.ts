// Hand-written HTTP over a bare socket, for requests that no well-behaved client would send.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { JsonBody } from '../../support/api-client.ts';

export interface RawAnswer {
  status: number;
  headers: Headers;
  body: JsonBody;
  /** The total number of status lines received. */
  answers: number;
}

/** Sends the bytes and returns the first response once the server has closed the connection. */
export async function exchangeRaw(
  apiUrl: string,
  ...pieces: (string | Buffer)[]
): Promise<RawAnswer> {
  const socket = connect(Number(new URL(apiUrl).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The server may reset the connection after its response.
  socket.on('error', () => socket.destroy());
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  for (const piece of pieces) socket.write(piece);
  await closed;
  return parseAnswer(Buffer.concat(chunks).toString('latin1'));
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = Number(headers.get('content-length') ?? 0);
  const content = Buffer.from(rest.join('\r\n\r\n'), 'latin1').subarray(0, length).toString('utf8');
  const isJson = headers.get('content-type')?.includes('json') ?? false;
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0),
    headers,
    body: isJson ? (JSON.parse(content) as JsonBody) : {},
    answers: text.match(/(^|\r\n|\})HTTP\/1\.1 \d{3} /g)?.length ?? 0,
  };
}
