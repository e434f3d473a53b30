// The activity that takes a step along a lane.
import { attemptInOrder as takeStep } from '../lib/delivery/attempt-in-order.ts';
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import type { LaneKey } from '../lib/model/lane.ts';
import type { LaneStep } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/** Attempts the lane's deliveries in their order and tells how the lane goes on. */
export async function attemptInOrder(ports: DeliveryPorts, lane: LaneKey): Promise<LaneStep> {
  return whileHeartbeating(async (signal) => {
    try {
      return await takeStep(ports, lane, signal);
    } catch (error) {
      throw asFailure(error);
    }
  });
}
