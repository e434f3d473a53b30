// A typical proxy in front of several services: it serves one of them below a path, and removes the path.
import { createServer, request } from 'node:http';
import { listen } from './receivers.ts';

/** Starts a proxy at `http://localhost:…` that forwards paths below `prefix` to `target`, with the caller's `Host`. */
export async function startPrefixProxy(
  prefix: string,
  target: string,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((incoming, answer) => {
    const { url = '', method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) {
      answer.writeHead(404).end();
      return;
    }
    const to = new URL(target);
    const options = { host: to.hostname, port: to.port, method, headers };
    const forwarded = request({ ...options, path: url.slice(prefix.length) }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    incoming.pipe(forwarded);
  });
  const listening = await listen(server);
  return { ...listening, url: `http://localhost:${listening.port}` };
}
