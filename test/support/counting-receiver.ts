// A receiver with delayed responses that counts its concurrent requests about one resource.
import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, type Receiver, startReceiver } from './receivers.ts';

/** A receiver whose responses a test can change. */
export interface CountingReceiver extends Receiver {
  /** Returns the status of the response, and what the response waits for. */
  answerOf: (request: ReceivedRequest) => { status: number; after?: Promise<unknown> };
  /** The maximum number of concurrent requests to one path about one resource since `reset`. */
  mostConcurrent: number;
  /** Responds to all later requests with 200 immediately, and restarts the count. */
  reset: () => void;
}

/** Starts a receiver that responds with 200 immediately until `answerOf` is changed. */
export async function startCountingReceiver(): Promise<CountingReceiver> {
  const unanswered = new Map<string, number>();
  async function answer(response: ServerResponse, request: ReceivedRequest): Promise<void> {
    const { status, after } = receiver.answerOf(request);
    const lane = `${request.path} ${resourceOf(request)}`;
    const count = (unanswered.get(lane) ?? 0) + 1;
    unanswered.set(lane, count);
    receiver.mostConcurrent = Math.max(receiver.mostConcurrent, count);
    await after;
    unanswered.set(lane, (unanswered.get(lane) ?? 0) - 1);
    response.writeHead(status).end();
  }
  const receiver: CountingReceiver = Object.assign(
    await startReceiver((response, request) => void answer(response, request)),
    {
      answerOf: () => ({ status: 200 }),
      mostConcurrent: 0,
      reset() {
        receiver.answerOf = () => ({ status: 200 });
        receiver.mostConcurrent = 0;
      },
    },
  );
  return receiver;
}

/** Returns the uid of the resource in a request. */
export function resourceOf(request: ReceivedRequest): string {
  return (JSON.parse(request.body.toString()) as { data: { uid: string } }).data.uid;
}

/** Returns the sequence in a request. */
export function sequenceOf(request: ReceivedRequest): number {
  const { sequence } = JSON.parse(request.body.toString()) as { sequence?: number };
  return Number(sequence);
}
