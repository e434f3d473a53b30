// Processor time and memory of processes, read from /proc.
import { readFileSync } from 'node:fs';
import { round } from './distribution.ts';

/** Process IDs by `api`, `worker`, `mongodb` … */
export type ProcessGroups = Readonly<Record<string, readonly number[]>>;

interface GroupUsage {
  pids: string;
  cpuMs: number;
  /** The highest since the start of the processes. */
  memoryMbMax: number;
}

/** A group is absent if one of its processes cannot be read. */
export type Usage = Readonly<Record<string, GroupUsage>>;

// The unit of processor times in /proc, on every Linux.
const ticksPerSecond = 100;

export function readUsage(groups: ProcessGroups): Usage {
  const usage: Record<string, GroupUsage> = {};
  for (const [name, pids] of Object.entries(groups)) {
    const group = readGroup(pids);
    if (group !== null) usage[name] = group;
  }
  return usage;
}

function readGroup(pids: readonly number[]): GroupUsage | null {
  if (pids.length === 0) return null;
  const group = { pids: pids.join(), cpuMs: 0, memoryMbMax: 0 };
  try {
    for (const pid of pids) {
      group.cpuMs += readCpuMs(pid);
      group.memoryMbMax += readMemoryMbMax(pid);
    }
    return group;
  } catch {
    // Not Linux, a process on another machine, or one that has just ended.
    return null;
  }
}

function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, can contain spaces. utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

function readMemoryMbMax(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/** Returns the milliseconds between two readings, divided by `count`. Groups that changed are omitted. */
export function cpuMsEach(before: Usage, after: Usage, count: number): Record<string, number> {
  const cpu: Record<string, number> = {};
  for (const [name, last] of Object.entries(after)) {
    const first = before[name];
    if (first?.pids !== last.pids || count === 0) continue;
    cpu[name] = round((last.cpuMs - first.cpuMs) / count);
  }
  return cpu;
}

export function memoryOf(usage: Usage): Record<string, number> {
  const entries = Object.entries(usage);
  return Object.fromEntries(entries.map(([name, group]) => [name, Math.round(group.memoryMbMax)]));
}
