import { type NodeRequest, nodeResponder } from './node.ts';
import type { ReceiverOptions } from './receiver.ts';

interface KoaContext {
  req: NodeRequest;
  status: number;
  body: unknown;
  set(headers: Record<string, string>): void;
}

/** Returns a middleware for its own route. Register it before any body parser. */
export function koaReceiver(options: ReceiverOptions) {
  const respondTo = nodeResponder(options);
  return async (ctx: KoaContext): Promise<void> => {
    const { status, headers, body } = await respondTo(ctx.req);
    ctx.body = body;
    ctx.status = status;
    ctx.set({ ...headers });
  };
}
