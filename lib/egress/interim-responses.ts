// Removes interim responses (1xx) from a socket before undici's parser, which fails on some.
import type { Readable } from 'node:stream';

const interimResponses = /^(?:HTTP\/1\.[01] 1\d\d(?=[ \r\n])[^]*?\r?\n\r?\n)*/;

const interimStart = /^HTTP\/1\.[01] 1\d\d[ \r\n]/;

// Completes a start that is too short to recognise.
const startSample = 'HTTP/1.1 100 ';

interface Listener {
  readonly onInterim: () => void;
  /** Called with the bytes of the final response, before undici reads them. */
  readonly onFinal: (bytes: Buffer) => void;
}

/**
 * Returns a function to call when the socket is readable, before others read from it. It also drops a 101, since we
 * never ask for another protocol. It keeps few bytes; the caller limits how many arrive.
 */
export function createInterimSkipper(
  socket: Pick<Readable, 'read' | 'unshift'>,
  { onInterim, onFinal }: Listener,
): () => void {
  let held = Buffer.alloc(0);
  let isOver = false;
  return () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    const rest = isOver ? chunk : skip(Buffer.concat([held, chunk]));
    if (!isOver) {
      held = shorten(rest);
      return;
    }
    onFinal(rest);
    socket.unshift(rest);
  };

  function skip(bytes: Buffer): Buffer {
    const skippedBytes = interimResponses.exec(bytes.toString('latin1'))?.[0].length ?? 0;
    const rest = bytes.subarray(skippedBytes);
    isOver = !mayBeInterim(rest);
    if (skippedBytes > 0 || !isOver) onInterim();
    return rest;
  }
}

function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, startSample.length);
  return interimStart.test(start + startSample.slice(start.length));
}

// Of an incomplete interim response, only the last two bytes matter, to detect its empty line.
function shorten(rest: Buffer): Buffer<ArrayBuffer> {
  if (rest.length < startSample.length) return Buffer.from(rest);
  return Buffer.concat([Buffer.from(startSample), rest.subarray(-2)]);
}
