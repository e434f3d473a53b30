import { measure, type Plan } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { openLoad, sized } from '../settings.ts';

/** Returns a plan of 100 sign-ins per second by 500 known users. */
export function planSignIns(
  { settings, signal }: Bench,
  { name, seconds }: { name: string; seconds: number },
): Plan & Required<Pick<Plan, 'prepare'>> {
  const users = sized(settings, 500, 50);
  return {
    name,
    hooks: { matching: 0 },
    load: openLoad(settings, 100, seconds),
    call: (caller, app) => caller.signingIn(app, users),
    async prepare(app, caller) {
      const firstSignIn = caller.signingIn(app, users);
      for (let n = 0; n < users; n += 1) {
        signal.throwIfAborted();
        const failure = await firstSignIn(n);
        if (failure !== null) throw new Error(`a first sign-in failed: ${failure}`);
      }
    },
  };
}

export const signIn: Scenario = {
  name: 'sign-in',
  about: '100 sign-ins a second for 60 s, of 500 users who are known already',
  isMain: true,
  async run(bench) {
    const measurement = await measure(bench, planSignIns(bench, { name: 'sign-in', seconds: 60 }));
    return { measurements: [measurement], notes: ['“event” means a sign-in here.'] };
  },
};
