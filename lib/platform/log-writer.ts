// Replaces pino's asynchronous destination: its thread costs more than the write, and an exit may lose lines.
import { writeSync } from 'node:fs';
import { processLimits } from '../limits.ts';
import { errorCode } from './error-code.ts';

const writeAfterMs = 10;
// A write to a pipe is atomic up to this size, so processes that share one do not split each other's lines.
const bytesPerWriteMax = 4_096;
const exitWaitMsMax = 1_000;

/** Writes lines together, some milliseconds later. Never waits for a slow reader: excess lines are dropped. */
export class LogWriter {
  readonly #fd: number;
  readonly #onDropped: (count: number) => void;
  // Contains whole lines, except for the rest of a partially written piece.
  readonly #pieces: (string | Buffer)[] = [];
  #lastPieceBytes = 0;
  #bytes = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `fd` must not block. `onDropped` is called with the number of dropped lines once there is room for more. */
  constructor(fd: number, onDropped: (count: number) => void) {
    this.#fd = fd;
    this.#onDropped = onDropped;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    const dropped = this.#dropped;
    // Once full, it drops lines until half is written; otherwise it would report too often.
    const bytesMax = dropped === 0 ? processLimits.logBytesMax : processLimits.logBytesMax / 2;
    if (this.#bytes + bytes > bytesMax) {
      this.#dropped += 1;
      return;
    }
    if (dropped > 0) {
      this.#dropped = 0;
      this.#onDropped(dropped);
    }
    this.#add(line, bytes);
    this.#writeLater();
  }

  /** Writes the remaining lines; waits at most a second for a slow reader. */
  writeBeforeExit(): void {
    const deadline = performance.now() + exitWaitMsMax;
    const neverWoken = new Int32Array(new SharedArrayBuffer(4));
    while (!this.#writeAll() && performance.now() < deadline) {
      Atomics.wait(neverWoken, 0, 0, writeAfterMs);
    }
  }

  #add(line: string, bytes: number): void {
    const last = this.#pieces.at(-1);
    if (typeof last === 'string' && this.#lastPieceBytes + bytes <= bytesPerWriteMax) {
      this.#pieces[this.#pieces.length - 1] = last + line;
      this.#lastPieceBytes += bytes;
    } else {
      this.#pieces.push(line);
      this.#lastPieceBytes = bytes;
    }
    this.#bytes += bytes;
  }

  #writeLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#writeAll()) this.#writeLater();
    }, writeAfterMs).unref();
  }

  // Returns false if the reader is behind.
  #writeAll(): boolean {
    for (;;) {
      const first = this.#pieces.shift();
      if (first === undefined) return true;
      const piece = typeof first === 'string' ? Buffer.from(first) : first;
      const taken = this.#tryWrite(piece);
      this.#bytes -= taken;
      if (taken < piece.length) this.#pieces.unshift(piece.subarray(taken));
      if (taken === 0) return false;
    }
  }

  #tryWrite(piece: Buffer): number {
    try {
      return writeSync(this.#fd, piece);
    } catch (error) {
      // After any other fault, such as a closed reader, waiting does not help.
      return errorCode(error) === 'EAGAIN' ? 0 : piece.length;
    }
  }
}
