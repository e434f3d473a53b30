// Loaded before the instrumented service. Its process kills itself with SIGKILL at the first point, once that has
// settled, at which no process of its role was killed before.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['HERALD_POINTS'] ?? '';
const role = process.env['HERALD_POINTS_ROLE'] ?? '';
// It works for a while between two kills.
const graceMs = Number(process.env['HERALD_POINTS_GRACE_MS'] ?? 3_000) * (1 + Math.random());
const fileOf = (kind) => join(folder, `${role}.${kind}`);
const namesIn = (kind) =>
  new Set(existsSync(fileOf(kind)) ? readFileSync(fileOf(kind), 'utf8').split('\n') : []);
const killed = namesIn('killed');

function reach(name) {
  if (killed.has(name) || performance.now() < graceMs) return;
  killed.add(name);
  if (existsSync(join(folder, 'over')) || namesIn('killed').has(name)) return;
  appendFileSync(fileOf('killed'), `${name}\n`);
  process.kill(process.pid, 'SIGKILL');
}

globalThis.crashPoint = {
  async settled(name, value) {
    try {
      return await value;
    } finally {
      reach(name);
    }
  },
  async *eachOf(name, values) {
    for await (const value of values) {
      reach(name);
      yield value;
    }
    reach(name);
  },
  disposed(name, resource) {
    const dispose = resource?.[Symbol.asyncDispose];
    if (dispose === undefined) return resource;
    const value = () => this.settled(name, dispose.call(resource));
    return Object.defineProperty(resource, Symbol.asyncDispose, { value, configurable: true });
  },
};
