// Requests through a proxy. Node's own `fetch` uses none before Node 22.
import { fetch, ProxyAgent, type RequestInit as ProxiedInit } from 'undici';

const agents = new Map<string, ProxyAgent>();

export async function fetchThrough(
  proxy: URL,
  address: string,
  init: RequestInit = {},
): Promise<Response> {
  const dispatcher = agentOf(proxy);
  try {
    return await fetch(address, { ...(init as unknown as ProxiedInit), dispatcher });
  } catch (error) {
    init.signal?.throwIfAborted();
    const reason = new Error(`${reasonOf(error)}, through the proxy ${proxy.origin}`);
    if (error instanceof Error) error.cause = reason;
    throw error;
  }
}

function agentOf(proxy: URL): ProxyAgent {
  const known = agents.get(proxy.href);
  if (known !== undefined) return known;
  const { origin, username, password } = proxy;
  const user = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64');
  const agent = new ProxyAgent({
    uri: origin,
    // Many proxies refuse tunnels to other ports than 443.
    proxyTunnel: false,
    ...(username === '' && password === '' ? {} : { token: `Basic ${user}` }),
  });
  agents.set(proxy.href, agent);
  return agent;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A `%` that is not part of an escape.
    return text;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const { message, name } = error;
  const [status] = /(?<=Proxy response \()\d+/.exec(message) ?? /\b407\b/.exec(message) ?? [];
  if (status === '407') return 'the proxy demands another user or password (407)';
  return status === undefined ? message || name : `the proxy refused the connection (${status})`;
}
