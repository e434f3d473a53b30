// Handler for the fetch API's Request: Next route handlers, Hono, Bun, Deno, Cloudflare Workers.
import { BodyTooLarge, Receiver, type ReceiverOptions } from './receiver.ts';
import { bodyAlreadyRead, WebhookRefused } from './refusal.ts';

/** Returns a handler that receives deliveries and responds to them. */
export function fetchReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  const receiver = new Receiver(options);
  return async (request) => {
    const { method, headers } = request;
    const response = await receiver.receive({
      method,
      headers,
      readBody: (bytesMax) => readBody(request, bytesMax),
    });
    return new Response(response.body, { status: response.status, headers: response.headers });
  };
}

async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked)
    throw new WebhookRefused('body_already_read', bodyAlreadyRead);
  const length = request.headers.get('content-length');
  if (length === null) return readStream(request.body, bytesMax);
  if (Number(length) > bytesMax) throw new BodyTooLarge(`the body has ${length} bytes`);
  const body = new Uint8Array(await request.arrayBuffer());
  if (body.length > bytesMax) throw new BodyTooLarge(`the body has ${body.length} bytes`);
  return body;
}

async function readStream(stream: Request['body'], bytesMax: number): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array();
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concat(chunks, bytes);
    chunks.push(value);
    bytes += value.length;
    if (bytes <= bytesMax) continue;
    await reader.cancel();
    throw new BodyTooLarge(`the body has more than ${bytesMax} bytes`);
  }
}

function concat(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const body = new Uint8Array(bytes);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body;
}
