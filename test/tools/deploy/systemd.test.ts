// The units in deploy/systemd, and the findings of systemd's tool if it is installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDevSecrets } from '../../../dev/start/dev-secrets.ts';
import { readConfig } from '../../../lib/config/config.ts';
import { processLimits } from '../../../lib/limits.ts';

const folder = 'deploy/systemd';
const units = readdirSync(folder).filter((name) => name.endsWith('.service'));
const roles = ['api', 'setup', 'worker'];
/** The highest exposure that `systemd-analyze security` may report, of 100. */
const exposureMax = 20;

function valuesOf(unit: string, key: string): string[] {
  const lines = readFileSync(join(folder, unit), 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));
}

test('each role has a unit that runs its entry point', () => {
  expect(units).toEqual(roles.map((role) => `agent-herald-${role}.service`));
  for (const [n, unit] of units.entries()) {
    const role = roles[n] === 'setup' ? 'cli/setup' : roles[n];
    expect(valuesOf(unit, 'ExecStart')).toEqual([
      `/usr/bin/node --enable-source-maps dist/${role}/main.js`,
    ]);
  }
});

test("the operator's settings override those of the unit", () => {
  for (const unit of units) {
    const text = readFileSync(join(folder, unit), 'utf8');
    expect(text.lastIndexOf('\nEnvironment=')).toBeLessThan(text.indexOf('\nEnvironmentFile='));
  }
});

test('api and worker have the time for a shutdown, restart, and have metrics on their own ports', () => {
  const { drainMs } = readConfig({ MONGODB_URI: 'mongodb://localhost', ...makeDevSecrets() }).http;
  const running = units.filter((unit) => !unit.includes('setup'));
  for (const unit of running) {
    const [seconds] = valuesOf(unit, 'TimeoutStopSec').map(Number);
    expect(seconds).toBeGreaterThan((drainMs + processLimits.stopTimeoutMs) / 1_000);
    expect(valuesOf(unit, 'Restart')).toEqual(['on-failure']);
  }
  const ports = running.flatMap((unit) =>
    valuesOf(unit, 'Environment').filter((value) => value.startsWith('HERALD_METRICS_PORT=')),
  );
  expect(new Set(ports).size).toBe(running.length);
});

test('api and worker are killed when they hang for as long as the probes of the chart allow', () => {
  for (const role of ['api', 'worker']) {
    const unit = `agent-herald-${role}.service`;
    const template = readFileSync(`deploy/kubernetes/agent-herald/templates/${role}.yaml`, 'utf8');
    const [, probe = ''] = /livenessProbe:\n(.*?failureThreshold: \d+)/s.exec(template) ?? [];
    const [periodSeconds, failures] = ['periodSeconds', 'failureThreshold'].map((field) =>
      Number(new RegExp(`${field}: (\\d+)`).exec(probe)?.[1]),
    );
    expect(Number(valuesOf(unit, 'WatchdogSec')[0])).toBe((periodSeconds ?? 0) * (failures ?? 0));
    // The notification is sent by a program that the process starts.
    expect([valuesOf(unit, 'Type'), valuesOf(unit, 'NotifyAccess')]).toEqual([['notify'], ['all']]);
    // Not a signal that leaves a core dump, which would contain secrets.
    expect(valuesOf(unit, 'WatchdogSignal')).toEqual(['SIGKILL']);
  }
});

test('V8 may compile', () => {
  for (const unit of units) expect(valuesOf(unit, 'MemoryDenyWriteExecute')).toEqual([]);
});

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;

(!isInstalled ? describe.skip : describe)('systemd, where it is installed', () => {
  let copies = '';
  beforeAll(() => {
    copies = mkdtempSync(join(tmpdir(), 'herald-units-'));
    for (const unit of units) {
      const text = readFileSync(join(folder, unit), 'utf8');
      // It checks that the executable exists.
      writeFileSync(join(copies, unit), text.replace('/usr/bin/node', process.execPath));
    }
  });
  afterAll(() => rmSync(copies, { recursive: true }));

  test('accepts the units without a warning', () => {
    const paths = units.map((unit) => join(copies, unit));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
      encoding: 'utf8',
    });
    // It also reports on other units of this machine.
    const ours = stderr.split('\n').filter((line) => line.includes('agent-herald'));
    expect({ status, ours }).toEqual({ status: 0, ours: [] });
  });

  test.each(units)('reports a low exposure of %s', (unit) => {
    const options = ['security', '--offline=true', `--threshold=${exposureMax}`];
    execFileSync('systemd-analyze', [...options, join(copies, unit)], { stdio: 'pipe' });
  });
});
