// What attempts at deliveries need of the world.
import type { Clock } from '../clock.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { LaneKey } from '../model/lane.ts';
import type { Retention } from '../model/retention.ts';
import type { HttpSender } from '../net/http-sender.ts';
import type { Store } from '../store/connect.ts';
import type { DeliveryRecords } from './delivery-records.ts';

/** News of a lane for its workflow: look again; where it is about an event, which one, and why. */
export interface LaneNews {
  lane: LaneKey;
  /** An event that waits in the lane. */
  arrived?: string;
  /** An event that the lane need not retry any more. */
  letGo?: string;
}

/** Resolves when Temporal has the news; rejects when it cannot be reached. */
export type WakeLane = (news: LaneNews) => Promise<void>;

export interface DeliveryPorts {
  store: Store;
  records: DeliveryRecords;
  sender: HttpSender;
  /** Sees to it that the workflow of a lane runs and looks at it once more. */
  wakeLane: WakeLane;
  secretBox: SecretBox;
  clock: Clock;
  /** Gives a number from 0 up to 1. */
  random: () => number;
  retryScheduleMs: readonly number[];
  /** How long all attempts at a webhook may fail before it is paused, in milliseconds. */
  deactivateAfterMs: number;
  retention: Retention;
}
