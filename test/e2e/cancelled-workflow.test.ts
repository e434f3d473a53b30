// An operator cancels the workflow of an event: waiting attempts are not made, and those in flight are recorded.
import type { ServerResponse } from 'node:http';
import { CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { useReceiver, useService } from '../support/use-service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

/** The response to the second attempt at /held. */
let held: ServerResponse | undefined;

const service = useService();
const receiver = useReceiver((response, { path, headers }) => {
  if (path === '/held' && headers['x-webhook-attempt'] === '2') held = response;
  else response.writeHead(500).end();
});

test('a retry in flight is made and recorded although another delivery of the event only waits', async () => {
  const waiting = { url: `${receiver.url}/waiting`, retrySchedule: ['1h'] };
  const { uid: waitingUid } = await registerWebhook(service, waiting);
  const retrying = { url: `${receiver.url}/held`, retrySchedule: ['1s', '1h'] };
  const { uid: heldUid } = await registerWebhook(service, retrying);
  const eventId = await reportChange(service);
  const answer = await waitFor(() => held, { what: 'the request of the retry' });
  const handle = service.temporal.client.workflow.getHandle(`agent.updated/${eventId}`);
  await handle.cancel();
  await waitFor(
    async () => {
      const { events } = await handle.fetchHistory();
      return events?.some((event) => event.activityTaskCanceledEventAttributes);
    },
    { what: 'the end of the retry that waited' },
  );
  answer.writeHead(200).end();
  const failure = await handle.result().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WorkflowFailedError);
  expect((failure as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  const { events } = await handle.fetchHistory();
  const completed = events?.filter((event) => event.activityTaskCompletedEventAttributes);
  expect(completed).toHaveLength(1);
  const stored = (webhookUid: string) => service.store.deliveries.findOne({ eventId, webhookUid });
  expect(await stored(heldUid)).toMatchObject({ state: 'delivered', attemptCount: 2 });
  expect(await stored(waitingUid)).toMatchObject({ state: 'retrying', attemptCount: 1 });
});
