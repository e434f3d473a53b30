// Parses server-sent events.

export interface ServerSentMessage {
  readonly type: string;
  /** The position to continue after. Null if the message has none. */
  readonly id: string | null;
  /** Null for a message that only advances the position. */
  readonly data: string | null;
  /** The payload in `data` as it is written, where `data` cannot contain its line breaks. */
  readonly payload?: string;
}

/** Assembles messages from chunks of text. */
export class MessageParser {
  #rest = '';
  #type = 'message';
  #id: string | null = null;
  #data: string[] = [];
  #payload: string | null = null;

  /** Returns the messages that a chunk completes. */
  push(piece: string): ServerSentMessage[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line.replace(/\r$/, '')) ?? []);
  }

  #take(line: string): ServerSentMessage | null {
    if (line === '') return this.#finish();
    // The `s` flag is needed because JSON does not escape U+2028 and U+2029.
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'id') this.#id = value;
    if (field === 'event') this.#type = value;
    if (field === 'data') this.#data.push(value);
    if (field === 'payload') this.#payload = value;
    return null;
  }

  #finish(): ServerSentMessage | null {
    const data = this.#data.length === 0 ? null : this.#data.join('\n');
    const written = this.#payload === null ? {} : { payload: String(JSON.parse(this.#payload)) };
    const message = { type: this.#type, id: this.#id, data, ...written };
    this.#type = 'message';
    this.#id = null;
    this.#data = [];
    this.#payload = null;
    return message.id === null && data === null ? null : message;
  }
}
