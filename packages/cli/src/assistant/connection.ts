// The connection to an assistant: one JSON-RPC message per line on standard input and output.
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

const codes = { notJson: -32_700, notMessage: -32_600, wrongArguments: -32_602 } as const;

/** Unlike the transport of the SDK, it ends only after all requests that it has read have responses. */
export class Connection implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  /** The requests without a response. Careless clients use an ID twice. */
  readonly #open: RequestId[] = [];
  #reading = Promise.resolve();
  #whenAnswered = (): void => undefined;

  start(): Promise<void> {
    this.#reading = this.#read();
    return Promise.resolve();
  }

  /** Resolves when the input has ended and all its requests have responses. */
  async finished(): Promise<void> {
    await this.#reading;
    if (this.#open.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenAnswered = resolve;
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await new Promise((resolve) => process.stdout.write(`${JSON.stringify(message)}\n`, resolve));
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    for await (const line of linesOf(process.stdin)) {
      if (line.trim() !== '') this.#take(line);
    }
  }

  #take(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return this.#refuse(null, codes.notJson, 'a line is not JSON');
    }
    const { data: message } = JSONRPCMessageSchema.safeParse(value);
    if (message === undefined)
      return this.#refuse(null, codes.notMessage, 'a line is not a message of JSON-RPC 2.0');
    if (!('method' in message)) return this.onmessage?.(message);
    // The server does not respond to cancelled requests.
    if (message.method === 'notifications/cancelled')
      this.#settle(message.params?.['requestId'] as RequestId);
    if (!('id' in message)) return this.onmessage?.(message);
    this.#open.push(message.id);
    if (message.method !== 'tools/call') return this.onmessage?.(message);
    const { name, arguments: given } = message.params ?? {};
    const input = given ?? {};
    if (typeof name !== 'string')
      return this.#refuse(message.id, codes.wrongArguments, 'a call needs the name of a tool');
    if (typeof input !== 'object' || Array.isArray(input)) {
      const fault = `the arguments of ${name} must be an object with a field for each argument`;
      return this.#refuse(message.id, codes.wrongArguments, fault);
    }
    const params = { ...message.params, arguments: withoutNulls(input) };
    this.onmessage?.({ ...message, params });
  }

  /** In JSON-RPC, the response to an unreadable message has the ID null. */
  #refuse(id: RequestId | null, code: number, message: string): void {
    void this.send({ jsonrpc: '2.0', id, error: { code, message } } as JSONRPCMessage);
  }

  #settle(id: RequestId): void {
    const index = this.#open.indexOf(id);
    if (index >= 0) this.#open.splice(index, 1);
    if (this.#open.length === 0) this.#whenAnswered();
  }
}

/** Assistants send null for an argument that they leave out. */
function withoutNulls(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

async function* linesOf(input: NodeJS.ReadStream): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of input.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
