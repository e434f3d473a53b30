// A name server for tests, on a free UDP port, with scripted answers (RFC 1035 §4).
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';

/** Addresses of either family. A name before them is an alias (CNAME) for them. */
export type NameAnswer = readonly string[] | 'unknown' | 'failure' | 'silence';

export interface NameServer extends AsyncDisposable {
  /** For `createNameServerResolver`. */
  readonly address: string;
  /** The requested names, once per address family. */
  readonly questions: readonly string[];
}

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 } as const;
const responseCodes = { unknown: 3, failure: 2 } as const;
const headerBytes = 12;

/** Starts a name server that answers a name with `answer(name, family)`. */
export async function startNameServer(
  answer: (name: string, family: 4 | 6) => NameAnswer,
): Promise<NameServer> {
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const { name, type, end } = readQuestion(message);
    questions.push(name);
    const said = answer(name, type === typeNumbers.A ? 4 : 6);
    if (said === 'silence') return;
    const head = { message, end };
    socket.send(
      typeof said === 'string' ? refuse(head, said) : reply(head, said, type),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

interface Head {
  readonly message: Buffer;
  /** The offset at which its question ends. */
  readonly end: number;
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function refuse({ message, end }: Head, why: keyof typeof responseCodes): Buffer {
  return Buffer.concat([
    header(message, 0x8180 | responseCodes[why], 0),
    message.subarray(headerBytes, end),
  ]);
}

function reply({ message, end }: Head, answers: readonly string[], type: number): Buffer {
  const alias = answers.find((answer) => isIP(answer) === 0);
  const family = type === typeNumbers.A ? 4 : 6;
  const addresses = answers.filter((answer) => isIP(answer) === family);
  // 0xc00c points back to the name in the question.
  const question = Buffer.from([0xc0, headerBytes]);
  const records = [
    ...(alias === undefined ? [] : [record(question, typeNumbers.CNAME, nameBytes(alias))]),
    ...addresses.map((address) =>
      record(alias === undefined ? question : nameBytes(alias), type, addressBytes(address)),
    ),
  ];
  return Buffer.concat([
    header(message, 0x8180, records.length),
    message.subarray(headerBytes, end),
    ...records,
  ]);
}

function header(message: Buffer, flags: number, answers: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  message.copy(bytes, 0, 0, 2);
  bytes.writeUInt16BE(flags, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(answers, 6);
  return bytes;
}

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2); // class IN; the time to live stays 0
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`\0${label}`, 'latin1'));
  for (const label of labels) label.writeUInt8(label.length - 1, 0);
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The canonical form of WHATWG contains no dotted quad.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
