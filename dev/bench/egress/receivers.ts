// The driver's side of the receivers: their process, their origins, and a sender that may reach them.
import { createHttpSender, type HttpSender } from '../../../lib/egress/http-sender.ts';
import { startHelper } from '../helper-process.ts';

export interface Receivers extends AsyncDisposable {
  /** The url of the receiver with this number; each has an origin of its own. */
  urlOf(receiver: number, path: string): string;
}

/** Starts the receivers' process. */
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

/** A sender as in production, but for the loopback addresses, which it may reach. */
export function createLoopbackSender(): HttpSender {
  return createHttpSender({
    policy: { allowHttp: true, ports: 'any', allowCidrs: ['127.0.0.0/8'], denyCidrs: [] },
  });
}
