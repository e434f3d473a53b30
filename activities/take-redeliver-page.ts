// The activity that takes the next page of a release, a resend or a replay.
import { asFailure, whileHeartbeating } from './heartbeat.ts';
import { takePage } from '../lib/delivery/redeliver-pages.ts';
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import type { RedeliverInput, RedeliverPage } from '../lib/temporal/messages.ts';

/** Gives the next deliveries to hand on, or drops the next. Repeating it gives the same ones. */
export async function takeRedeliverPage(
  ports: Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane'>,
  input: RedeliverInput,
): Promise<RedeliverPage> {
  return whileHeartbeating(async () => {
    try {
      return await takePage(ports, input);
    } catch (error) {
      throw asFailure(error);
    }
  });
}
