import type { Scenario } from './scenario.ts';
import { acceptOnly } from './scenarios/accept-only.ts';
import { burst } from './scenarios/burst.ts';
import { busy } from './scenarios/busy.ts';
import { fanOut } from './scenarios/fan-out.ts';
import { idleWebhooks, storedEvents } from './scenarios/flatness.ts';
import { hangingReceiver } from './scenarios/hanging-receiver.ts';
import { idle, light } from './scenarios/idle.ts';
import { kill } from './scenarios/kill.ts';
import { mixed } from './scenarios/mixed.ts';
import { rate } from './scenarios/rate.ts';
import { scale } from './scenarios/scale.ts';
import { search } from './scenarios/search.ts';
import { signIn } from './scenarios/sign-in.ts';
import { slowSockets } from './scenarios/slow-sockets.ts';
import { sustained } from './scenarios/sustained.ts';
import { telemetry } from './scenarios/telemetry.ts';

/** In the order in which they run. */
export const scenarios: readonly Scenario[] = [
  idle,
  light,
  busy,
  sustained,
  burst,
  fanOut,
  hangingReceiver,
  rate,
  mixed,
  signIn,
  slowSockets,
  acceptOnly,
  storedEvents,
  idleWebhooks,
  scale,
  search,
  telemetry,
  // Last: it needs another service, with data in files.
  kill,
];
