// The compiler rejects unlisted event names; this test checks that each listed one is logged.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { logEvents } from '../../../lib/platform/log-events.ts';

const source = ['activities', 'api', 'lib', 'worker']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(name, 'utf8'))
  .join('\n');

// The name is the last argument of a call.
const logged = new Set(
  [...source.matchAll(/'([a-z_]+\.[a-z_]+)',?\s*\)/g)].map(([, name]) => name),
);
// lib/webhooks/webhook-health.ts writes `webhook.${notice}`.
for (const notice of ['failing', 'deactivation_scheduled', 'deactivated'])
  logged.add(`webhook.${notice}`);

test.each(Object.values(logEvents).flatMap((events) => Object.keys(events)))(
  '%s is logged',
  (name) => {
    expect(logged).toContain(name);
  },
);
