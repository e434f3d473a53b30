// One story that makes every call of the API (docs/api.md, docs/admin.md), with its possible answers.
import { playAdmin } from './chapter-admin.ts';
import { playAgain } from './chapter-again.ts';
import { playDeliveries, playWebhooks } from './chapter-deliveries.ts';
import { playLimits, playOpen } from './chapter-open.ts';
import { playResources, playUsers } from './chapter-users.ts';
import type { RecordedCall } from './recorder.ts';
import { playRefusals, type Refusals } from './refusals.ts';
import { openStage } from './stage.ts';

/** The answers of a service to the story. */
export interface Contract {
  calls: RecordedCall[];
  /** The refusals of every route, by its name. */
  refusals: Record<string, Refusals>;
}

/** Plays the story with services of its own. */
export async function playStory(): Promise<Contract> {
  await using stage = await openStage();
  await playOpen(stage);
  await playUsers(stage);
  await playResources(stage);
  await playWebhooks(stage);
  await playDeliveries(stage);
  await playAgain(stage);
  await playAdmin(stage);
  const refusals = await playRefusals(stage);
  return { calls: [...stage.calls, ...(await playLimits())], refusals };
}
