import type { AdminHandler } from '../../route.ts';
import { presentSession, sessionSchema } from './present-session.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'getSession',
  summary: 'Get the current session',
  answers: { 200: { description: 'The session', schema: sessionSchema } },
};

export const getSession: AdminHandler = operation(facts, async ({ signedIn }) => ({
  status: 200,
  body: presentSession(signedIn),
}));
