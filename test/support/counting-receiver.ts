// A receiver that takes its time, and tells how many requests about one resource it ever had at once.
import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, type Receiver, startReceiver } from './receivers.ts';

/** A receiver whose answers a test changes as it goes. */
export interface CountingReceiver extends Receiver {
  /** What it answers to a request, and after what. */
  answerOf: (request: ReceivedRequest) => { status: number; after?: Promise<unknown> };
  /** The most requests to one path about one resource that were unanswered at a time since `reset`. */
  mostAtOnce: number;
  /** From now on all requests are answered 200 at once, and counted anew. */
  reset: () => void;
}

/** Starts one; it answers 200 at once until told otherwise. */
export async function startCountingReceiver(): Promise<CountingReceiver> {
  const atOnce = new Map<string, number>();
  async function answer(response: ServerResponse, request: ReceivedRequest): Promise<void> {
    const { status, after } = receiver.answerOf(request);
    const lane = `${request.path} ${resourceOf(request)}`;
    const count = (atOnce.get(lane) ?? 0) + 1;
    atOnce.set(lane, count);
    receiver.mostAtOnce = Math.max(receiver.mostAtOnce, count);
    await after;
    atOnce.set(lane, (atOnce.get(lane) ?? 0) - 1);
    response.writeHead(status).end();
  }
  const receiver: CountingReceiver = Object.assign(
    await startReceiver((response, request) => void answer(response, request)),
    {
      answerOf: () => ({ status: 200 }),
      mostAtOnce: 0,
      reset() {
        receiver.answerOf = () => ({ status: 200 });
        receiver.mostAtOnce = 0;
      },
    },
  );
  return receiver;
}

/** Gives the uid of the resource that a request is about. */
export function resourceOf(request: ReceivedRequest): string {
  return (JSON.parse(request.body.toString()) as { data: { uid: string } }).data.uid;
}

/** Gives the number that a request has among those about its resource. */
export function sequenceOf(request: ReceivedRequest): number {
  return Number(request.headers['x-webhook-sequence']);
}
