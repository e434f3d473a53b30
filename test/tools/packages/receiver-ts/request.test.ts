// How a key set is requested: through proxies, and without keeping a process alive.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KeySet } from '../../../../packages/receiver-ts/src/key-set.ts';
import { proxyOf } from '../../../../packages/receiver-ts/src/proxy.ts';
import { userAgent } from '../../../../packages/receiver-ts/src/version.ts';
import { makeAuthority } from '../../../support/certificates.ts';
import { startConnectProxy } from '../../../support/connect-proxy.ts';
import { listen } from '../../../support/receivers.ts';
import { stubEnv, unstubEnvs } from '../../../support/stub-env.ts';

const run = promisify(execFile);
const x = 'A'.repeat(43);
const keySet = JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x }] });

afterEach(() => {
  unstubEnvs();
  jest.restoreAllMocks();
});

const serving = (listener: RequestListener) => listen(createServer(listener));

/** Returns the number of keys, or why there are none. */
async function fetched(url: string): Promise<unknown> {
  try {
    return (await new KeySet(url, Date.now).keys()).length;
  } catch (error) {
    return String((error as Error).cause);
  }
}

test('a set at http is requested from the proxy of http_proxy, by its whole URL', async () => {
  const requests: unknown[] = [];
  await using proxy = await serving(({ method, url, headers }, response) => {
    const { host, authorization = null } = headers;
    requests.push([method, url, host, headers['proxy-authorization'], authorization]);
    response.end(keySet);
  });
  stubEnv('http_proxy', `http://user:p%40ss@127.0.0.1:${proxy.port}`);
  stubEnv('no_proxy', '');
  expect(await fetched('http://keys.test:81/a?b')).toBe(1);
  const credentials = `Basic ${btoa('user:p@ss')}`;
  expect(requests).toEqual([['GET', 'http://keys.test:81/a?b', 'keys.test:81', credentials, null]]);
});

test.each([
  ['a redirect', 302, 'the key set has the status 302'],
  ['407', 407, 'the key set has the status 407'],
])('%s from a proxy is not followed', async (_what, status, reason) => {
  let requests = 0;
  await using proxy = await serving((_request, response) => {
    requests += 1;
    response.writeHead(status, { location: 'http://keys.test/other' }).end(keySet);
  });
  stubEnv('http_proxy', `127.0.0.1:${proxy.port}`);
  stubEnv('no_proxy', '');
  expect(await fetched('http://keys.test/')).toBe(`Error: ${reason}`);
  expect(requests).toBe(1);
});

test.each([
  [200, keySet, 1],
  [302, keySet, 'Error: the key set has the status 302'],
  [200, keySet.padEnd(65_537), 'Error: the key set is longer than 65536 bytes'],
])(
  'where Node has no modules, fetch gets a set with the same limits',
  async (status, body, result) => {
    const requests: unknown[] = [];
    await using server = await serving(({ url, headers }, response) => {
      requests.push([url, headers['user-agent']]);
      response.writeHead(status, { location: '/other' }).end(body);
    });
    jest.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    expect(await fetched(`http://127.0.0.1:${server.port}/keys.json`)).toBe(result);
    expect(requests).toEqual([['/keys.json', userAgent]]);
  },
);

/** A program that prints the number of keys at KEYS. */
const program = `
import { KeySet } from './packages/receiver-ts/src/key-set.ts';
const keys = await new KeySet(process.env.KEYS, Date.now).keys().catch(({ cause }) => cause);
console.log(keys.length ?? String(keys));
`;

async function output(code: string, env: Record<string, string>): Promise<string> {
  const args = ['--import', 'tsx', '--input-type=module', '-e', code];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
  return stdout.trim();
}

test('a set at https comes through a tunnel of the proxy, and its certificate is checked', async () => {
  using authority = makeAuthority('Keys');
  const { certificate: cert, key } = authority.issue('Keys', { serverNames: 'DNS:localhost' });
  const answer: RequestListener = (_request, response) => void response.end(keySet);
  await using server = await listen(createTlsServer({ cert, key }, answer));
  await using proxy = await startConnectProxy();
  const folder = await mkdtemp(join(tmpdir(), 'receiver-ca-'));
  await writeFile(join(folder, 'ca.pem'), authority.certificate);
  const KEYS = `https://localhost:${server.port}/keys.json`;
  const env = { KEYS, https_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: '' };
  const trusting = { ...env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
  expect(await output(program, trusting)).toBe('1');
  expect(await output(program, env)).toContain('unable to verify');
  const byAddress = { ...trusting, KEYS: KEYS.replace('localhost', '127.0.0.1') };
  expect(await output(program, byAddress)).toContain('IP: 127.0.0.1 is not in the cert');
  const [named, address] = [`localhost:${server.port}`, `127.0.0.1:${server.port}`];
  expect(proxy.targets).toEqual([named, named, address]);
  await rm(folder, { recursive: true });
});

test.each([
  [{ status: 403 } as const, 'the proxy has the status 403'],
  ['break' as const, 'socket hang up'],
])(
  'a proxy that opens no tunnel (%j) is the reason why there are no keys',
  async (reaction, why) => {
    await using proxy = await startConnectProxy(() => reaction);
    stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`);
    stubEnv('no_proxy', '');
    expect(await fetched('https://keys.test/')).toContain(why);
    expect(proxy.targets).toEqual(['keys.test:443']);
  },
);

test('a fetch that a platform cut off delays a delivery for 5 s, and none after a minute', async () => {
  jest.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  const fetching = jest.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => undefined));
  jest.useFakeTimers();
  let now = 0;
  const set = new KeySet('https://keys.test/', () => now);
  const refused = expect(set.keys()).rejects.toMatchObject({ code: 'keys_unavailable' });
  await jest.advanceTimersByTimeAsync(5_100);
  await refused;
  jest.useRealTimers();
  now += 60_000;
  fetching.mockResolvedValue(new Response(keySet));
  expect(await set.keys()).toHaveLength(1);
});

const proxy = 'http://proxy.test:3128/';
test.each([
  ['http://a.test/', { http_proxy: proxy }, proxy],
  ['http://a.test/', { HTTP_PROXY: proxy }, proxy],
  ['http://a.test/', { https_proxy: proxy }, null],
  ['https://a.test/', { HTTPS_PROXY: 'proxy.test:3128' }, proxy],
  ['https://a.test/', { https_proxy: '', HTTPS_PROXY: proxy }, null],
  ['https://a.test/', { https_proxy: proxy, no_proxy: 'b.test, A.test' }, null],
  ['https://b.a.test/', { https_proxy: proxy, NO_PROXY: '*.a.test' }, null],
  ['https://ba.test/', { https_proxy: proxy, NO_PROXY: 'a.test' }, proxy],
  ['https://a.test/', { https_proxy: proxy, NO_PROXY: 'a.test:443' }, null],
  ['https://a.test:444/', { https_proxy: proxy, NO_PROXY: 'a.test:443' }, proxy],
  ['https://[::1]/', { https_proxy: proxy, NO_PROXY: '::1' }, null],
  ['https://a.test/', { https_proxy: proxy, NO_PROXY: '*' }, null],
  ['https://a.test/', { https_proxy: proxy, NO_PROXY: ' , ' }, proxy],
])('%s with %j uses the proxy %s', (url, env, expected) => {
  expect(proxyOf(new URL(url), env)?.href ?? null).toBe(expected);
});

test.each(['socks5://user:pass@proxy.test', 'http://'])('the proxy %s is refused', (text) => {
  const select = () => proxyOf(new URL('http://a.test/'), { http_proxy: text });
  expect(select).toThrow(/^the proxy of the environment must be a URL that begins with http:/);
});

/** Prints when a delivery to stale keys is verified, and at its end whether the fetch still ran. */
const leaving = `
import { KeySet } from './packages/receiver-ts/src/key-set.ts';
let now = 0;
const set = new KeySet(process.env.KEYS, () => now);
await set.keys();
now = 300_000;
await set.keys();
const servedAt = performance.now();
process.on('exit', () => console.log(performance.now() - servedAt < 4_000 ? 'left' : 'waited'));
process.on('unhandledRejection', () => console.log('unhandled'));
`;

test('a delivery that waits for keys keeps a process alive, and a fetch behind it does not', async () => {
  let requests = 0;
  await using server = await serving((_request, response) => {
    requests += 1;
    if (requests > 1) return;
    // Later than the program could end.
    setTimeout(() => response.end(keySet), 200);
  });
  expect(await output(leaving, { KEYS: `http://127.0.0.1:${server.port}/` })).toBe('left');
});

test('the last keys serve after a fetch that took too long, without an unhandled rejection', async () => {
  let requests = 0;
  await using server = await serving((_request, response) => {
    requests += 1;
    if (requests === 1) response.end(keySet);
    else response.flushHeaders();
  });
  const waiting = `${leaving}now += 300_001; await set.keys(); console.log('served');`;
  const printed = await output(waiting, { KEYS: `http://127.0.0.1:${server.port}/` });
  expect(printed).toBe('served\nwaited');
  expect(requests).toBe(3);
});
