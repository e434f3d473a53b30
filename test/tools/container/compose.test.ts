// docker-compose.yml and Dockerfile, checked without a container.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isKnownSetting } from '../../../dev/deploy/known-settings.ts';
import { processLimits } from '../../../lib/limits.ts';

interface Service {
  image?: string;
  environment?: Record<string, string>;
  healthcheck?: { test?: unknown[]; disable?: boolean };
  init?: boolean;
  ports?: string[];
  stop_grace_period?: string;
  volumes?: string[];
}

interface ComposeFile {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const composeText = readFileSync('docker-compose.yml', 'utf8');
const compose = parse(composeText, { merge: true }) as ComposeFile;
const dockerfile = readFileSync('Dockerfile', 'utf8');
const services = Object.entries(compose.services);
const roles = ['setup', 'api', 'worker'] as const;

function service(name: string): Service {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

// Podman splits the words of a `CMD` at blanks.
test('a health check is one line for a shell', () => {
  for (const [name, { healthcheck }] of services) {
    const words = healthcheck?.test ?? [];
    expect({ name, words }).toEqual({ name, words: words.map(String) });
    if (words.length === 0) continue;
    expect({ name, words: words.length }).toEqual({ name, words: 2 });
    expect(words[0]).toBe('CMD-SHELL');
    expect(words[1]).not.toContain('\n');
  }
});

test('every setting that a file of the deployment sets is a known one', () => {
  const units = ['api', 'setup', 'worker'].map((role) => `agent-herald-${role}.service`);
  const ofSystemd = ['environment.example', ...units].map((name) =>
    readFileSync(`deploy/systemd/${name}`, 'utf8'),
  );
  const texts = [composeText, dockerfile, ...ofSystemd].join('\n');
  const names = texts.match(/(?<!\$\{)\b(?:HERALD|MONGODB|TEMPORAL|OTEL)_[A-Z_]+(?=[:=])/g) ?? [];
  expect(names).toEqual(expect.arrayContaining(['MONGODB_URI', 'HERALD_WORKFLOW_BUNDLE']));
  expect(names.filter((name) => !isKnownSetting(name))).toEqual([]);
});

test('a missing secret stops docker compose with a sentence that explains where to set it', () => {
  for (const name of ['HERALD_SECRET_KEYS', 'HERALD_KEY_PEPPER', 'POSTGRES_PASSWORD']) {
    const uses = composeText.match(new RegExp(`\\$\\{${name}[^}]*\\}`, 'g')) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const use of uses) expect(use).toContain(`:?put ${name} into .env`);
  }
});

test('.env.example has the required secrets, and only settings that the file reads', () => {
  const example = readFileSync('.env.example', 'utf8');
  const required = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name);
  expect(required).toEqual(['HERALD_SECRET_KEYS', 'HERALD_KEY_PEPPER', 'POSTGRES_PASSWORD']);
  for (const [, name = ''] of example.matchAll(/^#?([A-Z_]+)=/gm))
    expect(composeText).toContain(`\${${name}:`);
});

test('the image is labelled with the version of the package, which is its tag in the file', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
  for (const role of roles) expect(service(role).image).toBe(`agent-herald:${version}`);
});

test('every image has a tag other than latest', () => {
  const images = services.map(([, { image }]) => image ?? '');
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map((match) => match[1] ?? '');
  for (const image of [...images, ...bases]) {
    expect(image).toMatch(/:[\w.-]+$/);
    expect(image).not.toMatch(/latest/);
  }
});

test('the image does not run as root', () => {
  const users = [...dockerfile.matchAll(/^USER (\S+)/gm)].map((match) => match[1]);
  expect(users.at(-1)).toBe('node');
});

test('the grace period of docker is longer than the maximum time of a shutdown', () => {
  for (const role of ['api', 'worker']) {
    const grace = /^(?:\$\{API_STOP_GRACE:-)?(\d+)s\}?$/.exec(
      service(role).stop_grace_period ?? '',
    );
    const seconds = Number(grace?.[1]);
    expect(seconds * 1_000).toBeGreaterThan(processLimits.stopTimeoutMs);
    expect(service(role).init).toBe(true);
  }
});

test('data is kept in named volumes, and no database is published', () => {
  for (const name of ['mongodb', 'postgres']) {
    const { volumes, ports } = service(name);
    const kept = (volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(kept.length).toBeGreaterThan(0);
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(kept));
    expect(ports).toBeUndefined();
  }
});

test('every port is published only on this machine, unless the setting of the api says otherwise', () => {
  const published = services.flatMap(([name, { ports }]) => (ports ?? []).map((to) => [name, to]));
  expect(published.length).toBeGreaterThan(3);
  for (const [name, to = ''] of published) {
    // Like docker compose if .env does not set it.
    const atDefaults = to.replaceAll(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
    expect({ name, to: atDefaults }).toEqual({
      name,
      to: expect.stringMatching(/^127\.0\.0\.1:\d+:\d+$/) as string,
    });
  }
  expect(service('api').ports).toEqual(['${API_ADDRESS:-127.0.0.1}:${API_PORT:-3000}:3000']);
});

test('every folder that the build needs is copied, and not excluded by .dockerignore', () => {
  const { include } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as {
    include: string[];
  };
  const ignore = readFileSync('.dockerignore', 'utf8').split('\n');
  for (const folder of include) {
    expect(dockerfile).toContain(`COPY ${folder} ${folder}\n`);
    expect(ignore).toContain(`!${folder}`);
  }
});
