// The packed package works in an empty folder, and each snippet of its README runs verbatim.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { receiverSecret, signedDelivery } from '../../../support/signed-deliveries.ts';

const run = promisify(execFile);
const source = 'packages/receiver-ts';
const modules = resolve('node_modules');
let folder = '';
let installed: string[] = [];
let snippets: { language: string; code: string }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receiver-'));
  await run('npm', ['pack', '--pack-destination', folder, resolve(source)], { cwd: source });
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarball = join(folder, 'agent-herald-receiver-0.1.0.tgz');
  await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd: folder });
  installed = await readdir(join(folder, 'node_modules'));
  for (const name of ['express', 'koa', 'fastify', '@types'])
    await symlink(join(modules, name), join(folder, 'node_modules', name));
  const readme = await readFile(join(source, 'README.md'), 'utf8');
  snippets = [...readme.matchAll(/^```(js|ts)\n(.*?)^```/gms)].map(
    ([, language = '', code = '']) => ({ language, code }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts a snippet of a server, sends it a good and a hostile delivery, and returns the statuses and its output. */
async function deliverTo(file: string, flags: string[] = []) {
  const child = spawn(process.execPath, [...flags, file], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: receiverSecret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const printed: string[] = [];
  const errors: string[] = [];
  child.stderr.on('data', (data: Buffer) => errors.push(data.toString()));
  const lines = createInterface(child.stdout).on('line', (line) => printed.push(line));
  const statuses: number[] = [];
  try {
    await once(lines, 'line');
    const port = /^listening on (\d+)$/.exec(printed[0] ?? '')?.[1];
    const hostile = { ...signedDelivery({ eventId: 'evt_2' }), body: '{}' };
    for (const sent of [signedDelivery(), hostile])
      statuses.push((await fetch(`http://127.0.0.1:${port}/hook`, sent)).status);
  } finally {
    child.kill();
    await closed;
  }
  return { statuses, printed: printed.join('\n'), errors: errors.join('') };
}

const expected = {
  statuses: [204, 401],
  printed: expect.stringContaining('agent.updated'),
  errors: expect.stringContaining('WebhookRefused'),
};

test('nothing else is installed', () => {
  expect(installed.filter((name) => !name.startsWith('.'))).toEqual(['@agent-herald']);
});

test('the quick start receives a delivery', async () => {
  const [quickStart] = snippets;
  await writeFile(join(folder, 'server.mjs'), quickStart?.code ?? '');
  expect(await deliverTo('server.mjs')).toEqual(expected);
});

test('it receives a delivery where Node has no getBuiltinModule, as on edge runtimes', async () => {
  const [quickStart] = snippets;
  await writeFile(join(folder, 'server.mjs'), quickStart?.code ?? '');
  const without = 'data:text/javascript,process.getBuiltinModule = undefined;';
  expect(await deliverTo('server.mjs', ['--import', without])).toEqual(expected);
});

test.each(['express', 'koa', 'fastify'])('the snippet for %s receives a delivery', async (name) => {
  const snippet = snippets.find(({ code }) => code.includes(`from '${name}'`));
  await writeFile(join(folder, `${name}.mjs`), snippet?.code ?? '');
  expect(await deliverTo(`${name}.mjs`)).toEqual(expected);
});

test.each(['node:http', 'express', 'koa', 'fastify'])(
  'the snippet for %s ends with an error if its port is taken',
  async (name) => {
    // On all addresses, because the snippets listen on all.
    const taken = createServer().listen(0);
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const snippet = snippets.find(({ code }) => code.includes(`from '${name}'`));
    const file = `taken-${name.replace(':', '-')}.mjs`;
    await writeFile(join(folder, file), snippet?.code ?? '');
    const env = { ...process.env, WEBHOOK_SECRET: receiverSecret, PORT: String(port) };
    const ended = run(process.execPath, [file], { cwd: folder, env });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('EADDRINUSE'),
    });
    taken.close();
  },
);

test('the snippet for Next loads without its secret, reports it on a request, and receives a delivery', async () => {
  const snippet = snippets.find(({ code }) => code.includes('function POST('));
  await writeFile(join(folder, 'route.ts'), snippet?.code ?? '');
  const lines = [
    "import { POST } from './route.ts';",
    "const request = () => new Request('http://receiver.test', JSON.parse(process.env.SENT ?? ''));",
    'const { status } = await POST(request()).catch(({ message }) => ({ status: message }));',
    'console.log(status);',
  ];
  await writeFile(join(folder, 'next.mjs'), lines.join('\n'));
  const deliver = async (secret: string): Promise<string> => {
    const env = { ...process.env, WEBHOOK_SECRET: secret, SENT: JSON.stringify(signedDelivery()) };
    const { stdout } = await run(join(modules, '.bin', 'tsx'), ['next.mjs'], { cwd: folder, env });
    return stdout;
  };
  expect(await deliver('')).toContain('is its environment variable set?');
  expect(await deliver(receiverSecret)).toMatch(/^204$/m);
});

test('the snippets in TypeScript compile with the packed types', async () => {
  const typed = snippets.filter(({ language }) => language === 'ts');
  expect(typed).toHaveLength(5);
  for (const [index, { code }] of typed.entries())
    await writeFile(join(folder, `snippet-${index}.ts`), code);
  const adapters = ['express', 'fastify', 'koa', 'node'].map(
    (name) => `import '@agent-herald/receiver/${name}';\n`,
  );
  await writeFile(join(folder, 'adapters.ts'), adapters.join(''));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(modules, 'typescript', 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch(
    (failed: { stdout: string }) => failed,
  );
  expect(stdout).toBe('');
});
