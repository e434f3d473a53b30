// Takes interim answers (1xx) off a socket before the parser of undici sees them, which fails at some.
import type { Readable } from 'node:stream';

/** Whole interim answers, one after the other. */
const interimAnswers = /^(?:HTTP\/1\.[01] 1\d\d(?=[ \r\n])[^]*?\r?\n\r?\n)*/;

const interimStart = /^HTTP\/1\.[01] 1\d\d[ \r\n]/;

/** Completes a beginning that is too short to tell from the beginning of an interim answer. */
const startSample = 'HTTP/1.1 100 ';

/**
 * Gives a function to call when the socket is readable, before others read from it. A client must
 * take interim answers that it did not ask for and may ignore them (RFC 9110 §15.2): they go, and
 * what follows is put back. A 101 goes too: we never ask for another protocol, so what counts is
 * whether an answer follows. `onInterim` is called when there was a part of one. However long they
 * are and in however many pieces they come, only some bytes of them are held and looked at again;
 * how many may come is for the caller to limit.
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
    const skippedBytes = countInterimBytes(bytes);
    const rest = bytes.subarray(skippedBytes);
    isOver = !mayBeInterim(rest);
    if (skippedBytes > 0 || !isOver) onInterim();
    if (isOver) socket.unshift(rest);
    else held = shorten(rest);
  };
}

function countInterimBytes(bytes: Buffer): number {
  return interimAnswers.exec(bytes.toString('latin1'))?.[0].length ?? 0;
}

function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, startSample.length);
  return interimStart.test(start + startSample.slice(start.length));
}

/** Of an interim answer that has begun only two bytes matter: they may belong to its empty line. */
function shorten(rest: Buffer): Buffer<ArrayBuffer> {
  if (rest.length < startSample.length) return Buffer.from(rest);
  return Buffer.concat([Buffer.from(startSample), rest.subarray(-2)]);
}
