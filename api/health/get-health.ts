// GET /healthz: the process is running. Nothing else is checked, so that an outage does not restart processes.
import { version } from '../../lib/platform/version.ts';
import type { Handler } from '../route.ts';
import { named, objectOf, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

const healthSchema = named(
  'Health',
  objectOf<{ status: string; version: string }>({ status: { const: 'ok' }, version: text }),
);

const facts: Operation = {
  id: 'getHealth',
  summary: 'Check that the process is running',
  answers: { 200: { description: 'The process is running', schema: healthSchema } },
};

export const getHealth: Handler = operation(facts, async () => ({
  status: 200,
  body: { status: 'ok', version },
}));
