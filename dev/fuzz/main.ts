// `npm run fuzz`: Schemathesis calls its own service with everything that the contract allows, and with invalid data.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { connectStore } from '../../lib/mongo/connect.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { prepareEnvironment, pythonNeeds, pythonProbe } from '../python/environment.ts';
import { print } from '../servers/print.ts';
import { canRun } from '../servers/run-program.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { launch } from '../start/launch.ts';
import { type Caller, makeCallers } from './callers.ts';
import { type Effort, environment, fuzzAs, requirements } from './schemathesis.ts';

const help = `Usage: npm run fuzz -- [options]

Starts a service of its own, and lets Schemathesis call it with what docs/openapi.json allows and with what it does
not: with a key of all scopes, as superuser, and without a credential. Ends with 1 when an answer is not as the
contract says, or the contract not as the service does.

  --short   a smoke run of some 20 s, with the key of all scopes alone, and always the same seed
  --seed N  the same calls again, as far as the service answers the same
  --help    shows this

The environment for Python is made in .cache, from PyPI; where python3 is missing nothing is run.
`;
const seedOfShort = 1;
const shortSeconds = 20;

interface Wishes {
  short: boolean;
  seed: number;
}

function readWishes(): Wishes {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      seed: { type: 'string' },
    },
  });
  const { short, seed = String(short ? seedOfShort : randomInt(2 ** 31)) } = values;
  if (!/^\d{1,10}$/.test(seed)) throw new Error('--seed must be a whole number');
  return { short, seed: Number(seed) };
}

/** Starts api, worker and servers, with limits that hide no response, and with webhooks that reach nobody. */
async function startService(open: Disposal) {
  const dataDir = await makeTemporaryFolder(open, 'fuzz');
  const env = {
    ...process.env,
    PORT: '0',
    // The contract names the cookie of https.
    HERALD_PUBLIC_URL: 'https://herald.example',
    // Nobody listens there.
    HERALD_EGRESS_PROXY: 'http://127.0.0.1:9',
    HERALD_KEY_REQUESTS_PER_MINUTE: '10000000',
    HERALD_FAILURES_PER_MINUTE: '10000000',
    HERALD_USER_SIGN_INS_PER_MINUTE: '10000000',
  };
  const { dev } = open.use(await launch({ env, dataDir, ephemeral: true, progress: print }));
  return { dev, dataDir };
}

/** Callers with a credential also send invalid data and try sequences of calls. */
function effortOf({ credentials }: Caller, { short }: Wishes): Effort {
  if (short) {
    return { phases: 'coverage,stateful', mode: 'all', examplesMax: 5, secondsMax: shortSeconds };
  }
  return Object.keys(credentials).length > 0
    ? { phases: 'examples,coverage,fuzzing,stateful', mode: 'all', examplesMax: 40 }
    : { phases: 'examples,coverage,fuzzing', mode: 'positive', examplesMax: 10 };
}

async function fuzz(open: Disposal, wishes: Wishes): Promise<void> {
  await prepareEnvironment(environment, requirements);
  const { dev, dataDir } = await startService(open);
  const store = open.use(await connectStore({ uri: dev.mongodbUri, database: 'agent_herald' }));
  const total = { cases: 0, findings: 0 };
  const callers = await makeCallers(store, dev);
  for (const caller of wishes.short ? callers.slice(0, 1) : callers) {
    print(`\n== ${caller.name}, seed ${wishes.seed}`);
    const run = { apiUrl: dev.apiUrl, seed: wishes.seed, folder: dataDir };
    const { cases, findings } = await fuzzAs(caller, effortOf(caller, wishes), run);
    total.cases += cases;
    total.findings += findings;
  }
  print(`\n${total.cases} cases, ${total.findings} findings, seed ${wishes.seed}`);
  if (total.cases === 0) throw new Error('no call was made');
  if (total.findings > 0) process.exitCode = 1;
}

await runCommand(async () => {
  const wishes = readWishes();
  if (!(await canRun(pythonProbe))) {
    print(`fuzz: skipped: ${pythonNeeds} is missing`);
    return;
  }
  const open = new Disposal();
  const stop = (): void => void open[Symbol.asyncDispose]().finally(() => process.exit(130));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await fuzz(open, wishes);
  } finally {
    await open[Symbol.asyncDispose]();
  }
}, help);
process.exit();
