// Loaded before the instrumented service. While its process is armed, it kills itself with SIGKILL at the first point,
// once that has settled, at which no process of its role was killed before.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['HERALD_POINTS'] ?? '';
const name = process.env['HERALD_POINTS_PROCESS'] ?? '';
const armedFile = join(folder, `${name}.armed`);
const killedFile = join(folder, `${name.replace(/-.*/, '')}.killed`);
const readKilled = () =>
  new Set(existsSync(killedFile) ? readFileSync(killedFile, 'utf8').split('\n') : []);
const killed = readKilled();

function reach(point) {
  if (killed.has(point) || !existsSync(armedFile)) return;
  killed.add(point);
  if (readKilled().has(point)) return;
  appendFileSync(killedFile, `${point}\n`);
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
