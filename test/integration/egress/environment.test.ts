// The environment of the process neither redirects requests nor weakens TLS.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeKeyPair, startReceiver, startTlsReceiver } from '../../support/receivers.ts';

const script = fileURLToPath(new URL('../../support/send-once.ts', import.meta.url));

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'npm_config_proxy'];

test('proxy variables and NODE_TLS_REJECT_UNAUTHORIZED have no effect', async () => {
  await using proxy = await startReceiver((response) => response.end('by way of the proxy'));
  await using plain = await startReceiver((response) => response.end('straight'));
  await using secure = await startTlsReceiver(makeKeyPair(), (response) => response.end());
  const proxies = proxyNames.flatMap((name) => [
    [name, proxy.url],
    [name.toLowerCase(), proxy.url],
  ]);
  const env = {
    ...process.env,
    ...Object.fromEntries(proxies),
    NO_PROXY: '',
    NODE_USE_ENV_PROXY: '1',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  };
  // A separate process, because Node reads some of these only at its start.
  const args = ['--import', 'tsx', script, plain.url, secure.url];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toMatchObject([
    { kind: 'responded', status: 200, responseSample: 'straight' },
    { kind: 'failed', errorClass: 'tls' },
  ]);
  expect(proxy.sockets).toHaveLength(0);
  expect(secure.requests).toHaveLength(0);
});
