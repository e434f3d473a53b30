import type { ServerResponse } from 'node:http';
import { type NodeRequest, nodeReceiver } from './node.ts';
import type { ReceiverOptions } from './receiver.ts';

/** Returns a handler for `app.post`. Register it before `express.json()`, or on a path that `express.json()` skips. */
export function expressReceiver(options: ReceiverOptions) {
  const handle = nodeReceiver(options);
  return async (
    request: NodeRequest,
    response: ServerResponse,
    next: (error: unknown) => void,
  ): Promise<void> => {
    try {
      await handle(request, response);
    } catch (error) {
      next(error);
    }
  };
}
