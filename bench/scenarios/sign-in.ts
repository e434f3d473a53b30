// Users who come back: sign-ins at a constant rate.
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { rateOf, secondsOf, sized } from '../settings.ts';

export const signIn: Scenario = {
  name: 'sign-in',
  about: '100 sign-ins a second for 60 s, of 500 users who are known already',
  isMain: true,
  needs: 'any',
  async run(bench) {
    const { settings, signal } = bench;
    const users = sized(settings, 500, 50);
    const measurement = await measure(bench, {
      name: 'sign-in',
      hooks: { matching: 0 },
      load: {
        model: 'open',
        ratePerSecond: rateOf(settings, 100),
        seconds: secondsOf(settings, 60),
      },
      call: (caller, app) => caller.signingIn(app, users),
      async prepare(app, caller) {
        const firstSignIn = caller.signingIn(app, users);
        for (let n = 0; n < users; n += 1) {
          signal.throwIfAborted();
          const failure = await firstSignIn(n);
          if (failure !== null) throw new Error(`a first sign-in failed: ${failure}`);
        }
      },
    });
    return { measurements: [measurement], notes: ['“event” means a sign-in here.'] };
  },
};
