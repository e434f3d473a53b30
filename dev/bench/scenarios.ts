import type { Scenario } from './scenario.ts';
import { acceptOnly } from './scenarios/accept-only.ts';
import { fanOut } from './scenarios/fan-out.ts';
import { hangingReceiver } from './scenarios/hanging-receiver.ts';
import { manyApplications } from './scenarios/many-applications.ts';
import { mixed } from './scenarios/mixed.ts';
import { burst, idle, light } from './scenarios/one-webhook.ts';
import { retention } from './scenarios/retention.ts';
import { signIn } from './scenarios/sign-in.ts';
import { slowSockets } from './scenarios/slow-sockets.ts';
import { sustained } from './scenarios/sustained.ts';
import { sync } from './scenarios/sync.ts';

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [
  idle,
  light,
  sustained,
  burst,
  fanOut,
  manyApplications,
  hangingReceiver,
  mixed,
  signIn,
  slowSockets,
  acceptOnly,
  sync,
  retention,
];
