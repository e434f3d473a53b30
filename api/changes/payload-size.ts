import { limits } from '../../lib/limits.ts';
import { renderPayload, sequenceBytesMax } from '../../lib/model/event-payload.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { idAt } from '../../lib/platform/ids.ts';

type Payload = Parameters<typeof renderPayload>[0];

/** Throws `payload_too_large`, before other changes depend on this one. */
export function checkPayloadSize(
  appUid: string,
  { event, data, dataText }: Pick<Payload, 'event' | 'dataText'> & { data: { uid: string } },
): void {
  // Of the same length as the final ones.
  const [eventId, timestamp] = [idAt('evt', new Date(0)), new Date(0)];
  renderBody({ eventId, event, timestamp, appUid, data: { ...data }, dataText });
}

/** Returns the body of an event, before its sequence is known. Throws `payload_too_large`. */
export function renderBody(payload: Payload): string {
  const body = renderPayload(payload);
  if (Buffer.byteLength(body) + sequenceBytesMax <= limits.payloadBytesMax) return body;
  const detail = `the event's payload must be at most ${limits.payloadBytesMax} bytes`;
  throw new AppError('payload_too_large', detail);
}
