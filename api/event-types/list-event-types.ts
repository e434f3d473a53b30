// GET …/event-types: every event that webhooks get, with its schema and a sample.
import type { Handler } from '../router.ts';
import { eventTypesOf } from './event-catalogue.ts';

export const listEventTypes: Handler = async ({ appUid }) => ({
  status: 200,
  body: { data: eventTypesOf(appUid) },
});
