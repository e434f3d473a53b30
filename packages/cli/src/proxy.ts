// The proxy between this machine and an address, by the environment variables that curl uses.
import { BlockList, isIP } from 'node:net';
import { CommandError, exitCodes } from './exit-codes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Route {
  /** Null for a direct connection. */
  readonly proxy: URL | null;
  readonly description: string;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Like `fetch`, but through the proxy that the environment names for the address. */
export const fetchByRoute: typeof fetch = async (input, init) => {
  const address = input instanceof Request ? input.url : new URL(input).href;
  const { proxy } = routeTo(address);
  if (proxy === null) return fetch(input, init);
  // Loaded here, because commands start faster without it.
  const { fetchThrough } = await import('./fetch-through.ts');
  return fetchThrough(proxy, address, init);
};

/** Returns how requests to an address travel. Throws `CommandError` if its proxy is unusable. */
export function routeTo(address: string, environment: Environment = process.env): Route {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '');
  const name = `${url.protocol.slice(0, -1)}_proxy`;
  const variable = [name, name.toUpperCase()].find((each) => environment[each]);
  if (variable === undefined) return { proxy: null, description: 'none' };
  if (/^(?:.+\.)?localhost$/.test(host) || isListed(loopback, host))
    return { proxy: null, description: `none, because ${host} is this machine` };
  const excluded = environment['no_proxy'] || environment['NO_PROXY'] || '';
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (excluded.split(/[\s,]+/).some((entry) => covers(entry.toLowerCase(), host, port)))
    return { proxy: null, description: `none, because NO_PROXY covers ${host}` };
  const proxy = readProxy(environment[variable] ?? '', variable);
  return { proxy, description: `${proxy.origin} (${variable})` };
}

function readProxy(text: string, variable: string): URL {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  const fault = `${variable} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128`;
  throw new CommandError(fault, exitCodes.usage);
}

/** Checks an entry of NO_PROXY: `*`, or a domain, an address or a subnet, perhaps with a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, named = '', wanted = port] =
    isIP(entry) === 6 ? [entry, entry] : (/^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []);
  if (wanted !== port) return false;
  const [network = '', bits] = named.split('/');
  const family = isIP(network);
  if (family === 0) {
    const domain = network.replace(/^\*?\.|\.$/g, '');
    return domain !== '' && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)));
  }
  const length = Number(bits ?? (family === 4 ? 32 : 128));
  if (!(length >= 0 && length <= (family === 4 ? 32 : 128))) return false;
  const list = new BlockList();
  list.addSubnet(network, length, family === 4 ? 'ipv4' : 'ipv6');
  return isListed(list, host);
}

function isListed(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
