// The packed package, its size, and the back end of docs/embedding.md with the real service.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { createTokenSource } from '../../../../packages/embed/src/index.ts';
import { makeTestAdmin, type TestAdmin } from '../../../support/admin-client.ts';
import { startService, type TestService } from '../../../support/service.ts';

const run = promisify(execFile);
let folder = '';
let service: TestService;
let admin: TestAdmin;

beforeAll(async () => {
  service = await startService({ worker: false });
  admin = await makeTestAdmin(service, { superuser: true });
  folder = await mkdtemp(join(tmpdir(), 'embed-'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: 'packages/embed' });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarball = join(folder, 'agent-herald-embed-0.1.0.tgz');
  await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd: folder });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('it installs nothing else', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@agent-herald']);
});

test('it has at most 2 KB, minified and compressed', async () => {
  const entryPoints = [join(folder, 'node_modules/@agent-herald/embed/dist/index.js')];
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const { outputFiles } = await build({ entryPoints, ...options });
  const [file] = outputFiles;
  expect(gzipSync(file?.contents ?? '').length).toBeLessThanOrEqual(2_000);
});

test('the snippet of its README calls again with a new token if the service refuses the first', async () => {
  const readme = await readFile('packages/embed/README.md', 'utf8');
  const [, snippet = ''] = /^```js\n(.*?)^```/ms.exec(readme) ?? [];
  await writeFile(join(folder, 'tokens.mjs'), snippet);
  const lines = [
    "const claims = (jti) => Buffer.from(JSON.stringify({ iat: 1, exp: 2, jti })).toString('base64url');",
    'let calls = 0;',
    'globalThis.fetch = async () => Response.json({ authToken: `x.${claims((calls += 1))}.x` });',
    "const { tokens, withToken } = await import('./tokens.mjs');",
    'const used = [];',
    'const response = await withToken(async (token) => {',
    '  used.push(token);',
    '  return { status: used.length === 1 ? 401 : 200 };',
    '});',
    'tokens.close();',
    'console.log(JSON.stringify([response.status, calls, new Set(used).size]));',
  ];
  await writeFile(join(folder, 'uses-tokens.mjs'), lines.join('\n'));
  const { stdout } = await run(process.execPath, ['uses-tokens.mjs'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([200, 2, 2]);
});

/** Starts the back end in Express of the page, with an API key. */
async function startBackEnd(apiKey: string) {
  const page = await readFile('docs/embedding.md', 'utf8');
  const snippets = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code);
  const code = snippets.find((each) => each.includes("from 'express'")) ?? '';
  await writeFile(join(folder, 'server.mjs'), code);
  const client = join(folder, 'node_modules/@agent-herald/client');
  await mkdir(client, { recursive: true });
  await cp('packages/client-ts/package.json', join(client, 'package.json'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const out = ['--outDir', join(client, 'dist')];
  await run(process.execPath, [compiler, '-p', 'packages/client-ts/tsconfig.json', ...out]);
  await symlink(resolve('node_modules/express'), join(folder, 'node_modules/express'));
  const { appUid } = service.app;
  const settings = { HERALD_URL: service.apiUrl, HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey };
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, ...settings, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, 'line'), closed])) as [string];
  const url = `http://127.0.0.1:${line.replace('listening on ', '')}/agent-token`;
  return {
    post: (headers = {}) => fetch(url, { method: 'POST', headers }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
    },
  };
}

const verify = async (authToken: string) =>
  (await service.call('POST', '/sdkusers/token/verify', { body: { authToken } })).body;

test('the back end of the page gives tokens, which outlive its API key until they are revoked', async () => {
  const { appUid } = service.app;
  const body = { name: 'Back end', scopes: ['users:auth'] };
  const key = await admin.call('POST', `/apps/${appUid}/keys`, { body });
  await using backEnd = await startBackEnd(String(key.body['apiKey']));
  const visitor = { 'x-visitor': 'visitor-1' };
  const source = createTokenSource({ fetchToken: () => backEnd.post(visitor) });
  const stranger = createTokenSource({ fetchToken: () => backEnd.post() });
  await expect(stranger.getToken()).rejects.toMatchObject({ reason: 'refused' });
  const first = await source.getToken();
  expect(await verify(first)).toMatchObject({ active: true });
  const revoked = await service.call('POST', '/sdkusers/tokens/revoke');
  expect(revoked.status).toBeLessThan(300);
  expect(await verify(first)).toMatchObject({ active: false, reason: 'revoked' });
  expect(source.report(first)).toBe('revoked');
  const second = await source.getToken();
  const path = `/apps/${appUid}/keys/${String(key.body['uid'])}/revoke`;
  expect((await admin.call('POST', path)).status).toBe(200);
  expect((await backEnd.post(visitor)).status).toBe(503);
  expect(await verify(second)).toMatchObject({ active: true });
  for (const each of [source, stranger]) each.close();
});
