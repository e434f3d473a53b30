// The receiver of all sequences: each has some of its paths and controls their responses.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, startReceiver } from '../../support/receivers.ts';
import type { Real } from './calls.ts';
import type { Model, Receipt } from './model.ts';

type Part = Pick<Real, 'newEndpoint' | 'answers'>;

export interface SequencesReceiver extends AsyncDisposable {
  /** Creates the part of a sequence, whose requests are recorded in the model's receipts. */
  newPart: (model: Model) => Part;
}

/** Starts the receiver. */
export async function startSequencesReceiver(): Promise<SequencesReceiver> {
  const owners = new Map<string, { model: Model; answers: Part['answers'] }>();
  async function answer(response: ServerResponse, request: ReceivedRequest): Promise<void> {
    const owner = owners.get(request.path);
    if (owner === undefined) throw new Error(`nobody has the path ${request.path}`);
    const receipt = toReceipt(request);
    owner.model.receipts.push(receipt);
    const about = aboutOf(receipt);
    const given = [owner.answers.get(receipt.path), owner.answers.get(about)];
    receipt.status = Math.max(200, ...given.map((each) => each?.status ?? 200));
    await sleep(Math.max(0, ...given.map((each) => each?.afterMs ?? 0)));
    receipt.answeredMs = Date.now();
    response.writeHead(receipt.status).end();
  }
  const receiver = await startReceiver((response, request) => void answer(response, request));
  return {
    newPart(model) {
      const answers: Part['answers'] = new Map();
      return {
        answers,
        newEndpoint() {
          const path = `/${owners.size + 1}`;
          owners.set(path, { model, answers });
          return { path, url: `${receiver.url}${path}` };
        },
      };
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

function toReceipt({ path, headers, body }: ReceivedRequest): Receipt {
  const { sequence } = JSON.parse(body.toString()) as { sequence?: number };
  return {
    path,
    eventId: String(headers['x-webhook-event-id']),
    attempt: Number(headers['x-webhook-attempt']),
    sequence: Number(sequence),
    body: body.toString(),
    status: 0,
    atMs: Date.now(),
    answeredMs: Infinity,
  };
}

/** Returns the uid of the resource in a request. */
function aboutOf({ body }: Receipt): string {
  const { event, data } = JSON.parse(body) as { event: string; data: { uid: string } };
  return `${event} ${data.uid}`;
}
