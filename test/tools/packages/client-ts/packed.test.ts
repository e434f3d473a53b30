// The packed package works in an empty folder, and each snippet of its README runs verbatim.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startConnectProxy } from '../../../support/connect-proxy.ts';
import { problem, type Reply, startScript, streamOf } from './script-server.ts';

const run = promisify(execFile);
const source = 'packages/client-ts';
let folder = '';
let snippets: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'));
  await run('npm', ['pack', '--pack-destination', folder, resolve(source)], { cwd: source });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarball = join(folder, 'agent-herald-client-0.1.0.tgz');
  await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd: folder });
  const readme = await readFile(join(source, 'README.md'), 'utf8');
  snippets = [...readme.matchAll(/^```js\n(.*?)^```/gms)].map(([, code = '']) => code);
});
afterAll(() => rm(folder, { recursive: true }));

const page = (item: object, nextCursor: string | null = null): Reply => ({
  body: { data: [item], nextCursor },
});

const event = (resourceUid: string, name = 'agent.created') =>
  `id: ${resourceUid}\ndata: ${JSON.stringify({ event: name, resourceUid })}\n\n`;

test('nothing else is installed', async () => {
  const installed = await readdir(join(folder, 'node_modules'));
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@agent-herald']);
});

test.each<[number, Reply[], string]>([
  [
    0,
    [{ status: 201, body: { uid: 'agt_1' } }, page({ agentName: 'Support', live: true })],
    'created agt_1\nSupport true\n',
  ],
  [1, [problem(409, 'limit_reached')], 'there are too many webhooks (request req_of_service)\n'],
  [
    2,
    [page({ eventId: 'evt_1', errorClass: 'timeout' }), page({}, 'more')],
    'evt_1 timeout\n1 events, and more\n',
  ],
  [3, [streamOf(event('a'), event('b', 'agent.deleted'))], 'agent.created a\nagent.deleted b\n'],
])('snippet %i of the README prints the documented output', async (index, replies, printed) => {
  await using server = await startScript(...replies);
  await writeFile(join(folder, `${index}.mjs`), snippets[index] ?? '');
  const env = {
    ...process.env,
    HERALD_URL: server.url,
    HERALD_APP_UID: 'app_1',
    HERALD_API_KEY: 'secret',
  };
  const { stdout } = await run(process.execPath, [`${index}.mjs`], { cwd: folder, env });
  expect(stdout).toBe(printed);
});

test('the snippet about proxies uses the proxy of the environment, which Node 20 alone does not', async () => {
  await using server = await startScript({ body: { status: 'ok' } });
  await using proxy = await startConnectProxy(undefined, new URL(server.url).host);
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  await symlink(resolve('node_modules/undici'), join(folder, 'node_modules/undici'));
  const settings = {
    HERALD_URL: 'http://herald.invalid',
    HERALD_APP_UID: 'app_1',
    HERALD_API_KEY: 'k',
  };
  const proxies = { HTTP_PROXY: proxyUrl, http_proxy: proxyUrl, NO_PROXY: '', no_proxy: '' };
  const options = { cwd: folder, env: { ...process.env, ...settings, ...proxies } };
  const [, , , , snippet = ''] = snippets;
  await writeFile(join(folder, '4.mjs'), snippet);
  expect((await run(process.execPath, ['4.mjs'], options)).stdout).toBe('ok\n');
  expect(proxy.targets).toEqual(['herald.invalid:80']);
  await writeFile(join(folder, 'plain.mjs'), snippet.replace(/^ *fetch: .*$/m, 'retries: 0,'));
  const usesGlobalFetch = run(process.execPath, ['plain.mjs'], options);
  await expect(usesGlobalFetch).rejects.toThrow('ConnectionFailedError');
});

test('its types compile for Node and for browsers', async () => {
  const code = `import { HeraldClient, type Webhook } from '@agent-herald/client';
const client = new HeraldClient({ url: 'https://agents.example.com', appUid: 'app_1', apiKey: 'key' });
const hooks: Webhook[] = [];
for await (const hook of client.webhooks.list()) hooks.push(hook);
const made = await client.webhooks.create({ url: 'https://a.example', entities: ['agent'] });
export const secret: string = made.secret;
// @ts-expect-error an entity that is none
await client.webhooks.create({ url: 'https://a.example', entities: ['agents'] });
`;
  await writeFile(join(folder, 'typed.ts'), code);
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch(
    (failed: { stdout: string }) => failed,
  );
  expect(stdout).toBe('');
});
