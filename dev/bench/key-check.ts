// The processor time of checking an API key, without the read of the database.
import { randomBytes } from 'node:crypto';
import { hashApiKey, newApiKey, parseApiKey, sameHash } from '../../lib/access/api-key.ts';

const checks = 200_000;
const warmUps = 20_000;
// Processor time; the exit code reports whether it is met.
const limitUs = 50;

const pepper = randomBytes(32).toString('base64');
const key = newApiKey();
const stored = hashApiKey(key.text, pepper);
// Refused by the checksum, before it is hashed.
const mistyped = `${key.text.slice(0, 20)}${key.text[20] === 'a' ? 'b' : 'a'}${key.text.slice(21)}`;

// As in `api/access/authenticate.ts`, without the read.
function check(text: string): boolean {
  return parseApiKey(text) !== null && sameHash(hashApiKey(text, pepper), stored);
}

// Returns the processor time of one check in microseconds.
function measure(text: string, expected: boolean): number {
  for (let n = 0; n < warmUps; n += 1) check(text);
  const before = process.cpuUsage();
  for (let n = 0; n < checks; n += 1) {
    if (check(text) !== expected) throw new Error(`a check was not ${expected}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / checks;
}

const rows = [
  ['a valid key', measure(key.text, true)],
  ['a mistyped key', measure(mistyped, false)],
] as const;
for (const [what, us] of rows) {
  process.stdout.write(`${what}: ${us.toFixed(1)} µs of processor time (limit ${limitUs})\n`);
}
process.exitCode = rows.every(([, us]) => us <= limitUs) ? 0 : 1;
