// The messages of a stream of server-sent events.

export interface ServerSentMessage {
  readonly type: string;
  /** Null where the message names no position to go on from. */
  readonly id: string | null;
  /** Null of a message that only moves the position. */
  readonly data: string | null;
}

/** Puts messages together from pieces of text. */
export class MessageParser {
  #rest = '';
  #type = 'message';
  #id: string | null = null;
  #data: string[] = [];

  /** Returns the messages that a piece completes. */
  push(piece: string): ServerSentMessage[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line.replace(/\r$/, '')) ?? []);
  }

  #take(line: string): ServerSentMessage | null {
    if (line === '') return this.#finish();
    // `s`: JSON leaves U+2028 and U+2029 as they are.
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'id') this.#id = value;
    if (field === 'event') this.#type = value;
    if (field === 'data') this.#data.push(value);
    return null;
  }

  #finish(): ServerSentMessage | null {
    const data = this.#data.length === 0 ? null : this.#data.join('\n');
    const message = { type: this.#type, id: this.#id, data };
    this.#type = 'message';
    this.#id = null;
    this.#data = [];
    return message.id === null && data === null ? null : message;
  }
}
