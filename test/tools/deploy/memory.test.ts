// The memory limits in the chart and in the systemd units, compared with the sum of all bounds of a process.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { bytesOf } from '../../../dev/limits/memory.ts';

interface Values {
  setup: Role;
  api: Role;
  worker: Role;
}

interface Role {
  resources: { limits: { memory: string } };
}

const values = parse(readFileSync('deploy/kubernetes/agent-herald/values.yaml', 'utf8')) as Values;
const sizes: Readonly<Record<string, number>> = { M: 1024 ** 2, G: 1024 ** 3 };

/** The chart and the units write 512 MiB and 3 GiB in different ways: `512Mi`, `3Gi`; `512M`, `3G`. */
function bytesIn(text: string | undefined): number {
  const [, count, unit = ''] = /^(\d+)([MG])i?$/.exec(text ?? '') ?? [];
  return Number(count) * (sizes[unit] ?? Number.NaN);
}

const inChart = (role: keyof Values): number => bytesIn(values[role].resources.limits.memory);

function inUnit(role: string): number {
  const unit = readFileSync(`deploy/systemd/agent-herald-${role}.service`, 'utf8');
  return bytesIn(/^MemoryMax=(.*)$/m.exec(unit)?.[1]);
}

test.each(['api', 'worker'] as const)(
  'the memory limit of the %s is above the sum of its bounds, by at most a quarter',
  (role) => {
    expect(inChart(role)).toBeGreaterThan(bytesOf(role));
    expect(inChart(role)).toBeLessThan(1.25 * bytesOf(role));
  },
);

test.each(['setup', 'api', 'worker'] as const)(
  'the unit of the %s has the limit of the chart',
  (role) => {
    expect(inUnit(role)).toBe(inChart(role));
  },
);
