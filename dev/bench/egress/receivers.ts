import { createHttpSender, type Sender } from '../../../lib/egress/http-sender.ts';
import { startHelper } from '../helper-process.ts';

export interface Receivers extends AsyncDisposable {
  /** Returns the URL of the receiver with this number; each has another origin. */
  urlOf(receiver: number, path: string): string;
}

export async function startReceivers(): Promise<Receivers> {
  let port = 0;
  const helper = await startHelper('egress/receiver-process.ts', {
    onMessage: (message) => {
      ({ port } = message as { port: number });
    },
  });
  return {
    urlOf: (receiver, path) => {
      const octets = [127, 1 + (receiver >> 16), (receiver >> 8) & 255, receiver & 255];
      return `http://${octets.join('.')}:${port}/${path}`;
    },
    [Symbol.asyncDispose]: () => helper[Symbol.asyncDispose](),
  };
}

/** Returns a sender as in production, which may also reach loopback addresses. */
export function createLoopbackSender(): Sender {
  return createHttpSender({
    policy: { allowHttp: true, ports: 'any', allowCidrs: ['127.0.0.0/8'], denyCidrs: [] },
  });
}
