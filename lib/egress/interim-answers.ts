// Takes interim answers (1xx) off a socket before undici's parser, which fails at some.
import type { Readable } from 'node:stream';

const interimAnswers = /^(?:HTTP\/1\.[01] 1\d\d(?=[ \r\n])[^]*?\r?\n\r?\n)*/;

const interimStart = /^HTTP\/1\.[01] 1\d\d[ \r\n]/;

// Completes a beginning that is too short to recognise.
const startSample = 'HTTP/1.1 100 ';

/**
 * Returns a function to call when the socket is readable, before others read from it. It drops a 101
 * too: we never ask for another protocol. It keeps few bytes; the caller limits how many come.
 */
export function createInterimSkipper(
  socket: Pick<Readable, 'read' | 'unshift'>,
  onInterim: () => void,
): () => void {
  let held = Buffer.alloc(0);
  let isOver = false;
  return () => {
    const chunk: Buffer | null = isOver ? null : socket.read();
    if (chunk === null) return;
    const bytes = Buffer.concat([held, chunk]);
    const skippedBytes = interimAnswers.exec(bytes.toString('latin1'))?.[0].length ?? 0;
    const rest = bytes.subarray(skippedBytes);
    isOver = !mayBeInterim(rest);
    if (skippedBytes > 0 || !isOver) onInterim();
    if (isOver) socket.unshift(rest);
    else held = shorten(rest);
  };
}

function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, startSample.length);
  return interimStart.test(start + startSample.slice(start.length));
}

// Of an interim answer that has begun only the last two bytes matter, for its empty line.
function shorten(rest: Buffer): Buffer<ArrayBuffer> {
  if (rest.length < startSample.length) return Buffer.from(rest);
  return Buffer.concat([Buffer.from(startSample), rest.subarray(-2)]);
}
