// Secrets that are not those of the database end each process at its start, with the name of the setting.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureSecretChecks } from '../../../cli/setup/ensure-secret-checks.ts';
import { userTokenKeys } from '../../../lib/identity/key-owner.ts';
import { createSecretBox, parseKeyRing } from '../../../lib/platform/secret-box.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { testServers } from '../../support/servers.ts';

const run = promisify(execFile);
const startTimeoutMs = 30_000;

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});
afterAll(async () => installation?.[Symbol.asyncDispose]());

const programs: Record<string, string[]> = {
  api: ['api/main.js'],
  worker: ['worker/main.js'],
  setup: ['cli/setup/main.js'],
  'admin create-key': ['cli/admin/main.js', 'create-key', 'APP', '--name', 'a', '--scopes', 'all'],
};

/** Runs a program of the installation and returns all its output. It fails the test if it ends in order. */
async function refusal(name: string, changed: Record<string, string>): Promise<string> {
  const [main = '', ...args] = programs[name] ?? [];
  const given = args.map((argument) => (argument === 'APP' ? installation.app.appUid : argument));
  const path = join(testServers().build, main);
  const env = { ...process.env, HERALD_LOG_LEVEL: 'info', ...installation.env, ...changed };
  const running = run(process.execPath, [path, ...given], { env, timeout: startTimeoutMs });
  const ended = await running.then(
    () => ({ code: 0, stdout: '', stderr: '' }),
    (failed: { code: number | null; stdout: string; stderr: string }) => failed,
  );
  expect(ended.code).toBe(1);
  return ended.stdout + ended.stderr;
}

const newKey = (): string => randomBytes(32).toString('base64');
const ringId = 'dev';

test.each(Object.keys(programs))('%s ends if quotes were kept around the pepper', async (name) => {
  const quoted = `"${installation.env['HERALD_KEY_PEPPER']}"`;
  const output = await refusal(name, { HERALD_KEY_PEPPER: quoted });
  expect(output).toContain('HERALD_KEY_PEPPER is not the one that this database was set up with');
  expect(output).not.toContain(quoted.slice(1, -1));
});

test.each(Object.keys(programs).filter((name) => !name.startsWith('admin')))(
  '%s ends if an id of the key ring has other bytes',
  async (name) => {
    const output = await refusal(name, { HERALD_SECRET_KEYS: `${ringId}:${newKey()}` });
    expect(output).toContain(`the key ${ringId} of HERALD_SECRET_KEYS is not the one`);
  },
);

test.each(['api', 'worker'])(
  '%s ends if the setup has not seen a key of the ring',
  async (name) => {
    const ring = `${installation.env['HERALD_SECRET_KEYS']},k2:${newKey()}`;
    const output = await refusal(name, { HERALD_SECRET_KEYS: ring });
    expect(output).toMatch(
      'no check value of the key k2 of HERALD_SECRET_KEYS; run: npm run setup',
    );
  },
);

test('the setup adds the check value of a new key, and keeps that of a removed one', async () => {
  const { store, config } = installation;
  const [old] = config.sealingKeys;
  if (old === undefined) throw new Error('the ring is empty');
  const [added] = parseKeyRing(`k3:${newKey()}`);
  if (added === undefined) throw new Error('there is no key');
  const { keyPepper } = config;
  await ensureSecretChecks(store, { keyPepper, sealingKeys: [old, added] });
  await ensureSecretChecks(store, { keyPepper, sealingKeys: [added] });
  const stored = await store.secretChecks.find({}).toArray();
  expect(stored.map(({ _id }) => _id)).toEqual(
    expect.arrayContaining([
      'HERALD_KEY_PEPPER',
      `HERALD_SECRET_KEYS/${ringId}`,
      'HERALD_SECRET_KEYS/k3',
    ]),
  );
  const values = JSON.stringify(stored);
  for (const { key } of [old, added]) {
    for (const encoding of ['hex', 'base64'] as const)
      expect(values).not.toContain(key.toString(encoding));
  }
  expect(values).not.toContain(keyPepper);
});

const sealedBy: Record<string, (installation: Installation) => Promise<void>> = {
  'a signing key': async ({ store, config }) => {
    const owner = userTokenKeys(store);
    const { keyId, publicKey, privateKeyPem } = await owner.createKey();
    const box = createSecretBox(config.sealingKeys);
    const privateKey = box.seal(privateKeyPem, owner.locationOf(keyId));
    const term = { generation: 1, signsFrom: new Date(), createdAt: new Date() };
    await owner.insert({ _id: keyId, publicKey, privateKey, ...term });
  },
  'a webhook': async (owner) => void (await insertWebhook(owner, { url: 'https://a.example/' })),
};

test.each(Object.entries(sealedBy))(
  'in a database without check values, the setup takes only a key that opens %s',
  async (_name, insert) => {
    await using upgraded = await createInstallation();
    const { store, config } = upgraded;
    await store.secretChecks.deleteMany({});
    await insert(upgraded);
    const wrong = parseKeyRing(`${ringId}:${newKey()}`);
    await expect(ensureSecretChecks(store, { ...config, sealingKeys: wrong })).rejects.toThrow(
      `the key ${ringId} of HERALD_SECRET_KEYS does not open`,
    );
    expect(await store.secretChecks.countDocuments()).toBe(0);
    await ensureSecretChecks(store, config);
    expect(await store.secretChecks.countDocuments()).toBe(2);
  },
);
