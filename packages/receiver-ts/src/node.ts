// The adapter for node:http, and the base of the adapters built on it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isBytes } from './bytes.ts';
import { BodyTooLarge, Receiver, type ReceiverOptions, type WebhookResponse } from './receiver.ts';
import { bodyAlreadyRead, WebhookRefused } from './refusal.ts';

/** A node:http request, possibly with the body that a platform or parser has read. */
export type NodeRequest = IncomingMessage & { body?: unknown; rawBody?: unknown };

/** Returns a handler for `http.createServer`. */
export function nodeReceiver(options: ReceiverOptions) {
  const respondTo = nodeResponder(options);
  return async (request: NodeRequest, response: ServerResponse): Promise<void> => {
    const { status, headers, body } = await respondTo(request);
    response.writeHead(status, headers).end(body);
  };
}

/** Returns a function that handles node:http requests and returns the responses to send. */
export function nodeResponder(
  options: ReceiverOptions,
): (request: NodeRequest) => Promise<WebhookResponse> {
  const receiver = new Receiver(options);
  return (request) =>
    receiver.receive({
      method: request.method ?? '',
      headers: request.headers,
      readBody: (bytesMax) => readBody(request, bytesMax),
    });
}

async function readBody(request: NodeRequest, bytesMax: number): Promise<Uint8Array> {
  const kept = [request.rawBody, request.body].find(isBytes);
  if (kept !== undefined) return withinLimit(kept, bytesMax);
  if (isEmpty(request)) return new Uint8Array();
  // With an encoding set, the chunks are decoded text instead of bytes.
  if (request.readableDidRead || request.body !== undefined || request.readableEncoding !== null)
    throw new WebhookRefused('body_already_read', bodyAlreadyRead);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax)
    throw new BodyTooLarge(`the body has ${request.headers['content-length']} bytes`);
  return readStream(request, bytesMax);
}

/** Checks for an empty body (RFC 9112 §6.3). Body parsers set `{}` as the body of these requests. */
function isEmpty({ headers, httpVersionMajor }: NodeRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (encoding !== undefined) return false;
  return length === undefined ? httpVersionMajor < 2 : Number(length) === 0;
}

function withinLimit(body: Uint8Array, bytesMax: number): Uint8Array {
  if (body.length > bytesMax) throw new BodyTooLarge(`the body has ${body.length} bytes`);
  return body;
}

async function readStream(request: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes > bytesMax) break;
  }
  if (bytes <= bytesMax) return Buffer.concat(chunks);
  // Drain the rest so that the sender can read the response.
  request.resume();
  throw new BodyTooLarge(`the body has more than ${bytesMax} bytes`);
}
