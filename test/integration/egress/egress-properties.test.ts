// Random hosts and random DNS over real sockets: no denied address is ever connected to.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender, SendResult } from '../../../lib/egress/sender.ts';
import { soakShare } from '../../support/soak-share.ts';

// Listeners on all of these. Two stand for public receivers, and the others must not be reached.
const allowed = ['127.0.0.1', '127.0.0.3'];
const denied = ['127.0.0.2', '127.0.0.4', '127.1.2.3', '127.255.255.254', '::1'];

const policy: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  // As wide as an operator may write it, with exceptions: deny wins, also for the IPv6 spellings.
  allowCidrs: ['127.0.0.0/30', '::/96', '::ffff:0:0/96', '64:ff9b::/96'],
  denyCidrs: ['127.0.0.2', '::1'],
};

/** Also denied, but without a listener: private, metadata, other spellings of loopback. */
const deniedElsewhere = [
  '10.0.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '::',
  '::ffff:127.0.0.2',
  '::127.0.0.4',
  '::ffff:127.1.2.3',
  '64:ff9b::127.0.0.2',
  '2002:7f00:2::',
  'fe80::1',
  'fd00:ec2::254',
  'not an address',
  '127.0.0.1%lo',
];

const runsOfTest = soakShare(2_500);
// Ten thousand runs with four sends each are minutes on a slow machine.
const testTimeoutMs = 600_000;
// Far longer than a request to this machine takes, so that a stall does not end in a timeout.
const timeoutMs = 30_000;

let port: number;
const servers: Server[] = [];
const connections = new Map<string, number>();

/** Counts the connections to an address. */
async function listenOn(address: string, wantedPort: number): Promise<number> {
  let answered = 0;
  // Two of three connections are closed, so that the next request must resolve and connect again.
  const server = createServer((_request, response) => {
    answered += 1;
    response.writeHead(200, { connection: answered % 3 === 0 ? 'keep-alive' : 'close' }).end();
  });
  server.on('connection', () => connections.set(address, (connections.get(address) ?? 0) + 1));
  server.listen(wantedPort, address);
  await once(server, 'listening');
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await listenOn('127.0.0.1', 0);
  for (const address of [...allowed, ...denied].slice(1)) await listenOn(address, port);
});

afterAll(async () => {
  for (const server of servers) server.close().closeAllConnections();
  await Promise.all(servers.map((server) => once(server, 'close')));
});

function expectDeniedUntouched(): void {
  for (const address of denied)
    expect([address, connections.get(address)]).toEqual([address, undefined]);
}

type Answer = readonly string[] | 'failure';

const anyAddress = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...allowed) },
  { weight: 2, arbitrary: fc.constantFrom(...denied) },
  { weight: 1, arbitrary: fc.constantFrom(...deniedElsewhere) },
);
const anyAnswer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...allowed), { minLength: 1, maxLength: 3 }) },
  { weight: 5, arbitrary: fc.array(anyAddress, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant('failure' as const) },
);

/** The expected outcome of a lookup: the oracle knows only the lists above, no ranges. */
function outcomeOfAnswer(answer: Answer): string {
  if (answer === 'failure' || answer.length === 0) return 'dns';
  return answer.some((address) => allowed.includes(address)) ? '200' : 'blocked';
}

function outcomeOf(result: SendResult): string {
  return result.kind === 'responded' ? String(result.status) : result.errorClass;
}

interface Script {
  readonly answers: readonly Answer[];
  asked: number;
}

/** A sender whose DNS answers each name with the next line of its script. */
function createScripted(): { sender: Sender; scripts: Map<string, Script> } {
  const scripts = new Map<string, Script>();
  const resolver = async (name: string): Promise<readonly string[]> => {
    const script = scripts.get(name);
    const answer = script?.answers[script.asked] ?? 'failure';
    if (script !== undefined) script.asked += 1;
    if (answer === 'failure') throw Object.assign(new Error('failed'), { code: 'ESERVFAIL' });
    return answer;
  };
  return { sender: createHttpSender({ policy, resolver }), scripts };
}

test(
  'no sequence of DNS answers leads to a denied address',
  async () => {
    const { sender, scripts } = createScripted();
    await using _sender = sender;
    let names = 0;
    const script = fc.array(anyAnswer, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(script, async (answers) => {
        names += 1;
        const name = `r${names}.example.com`;
        const state: Script = { answers, asked: 0 };
        scripts.set(name, state);
        for (let send = 0; send < answers.length; send += 1) {
          const askedBefore = state.asked;
          const url = `http://${name}:${port}/`;
          const outcome = outcomeOf(await sender.send({ url, headers: {}, body: '', timeoutMs }));
          // A kept connection makes no lookup; a new one makes exactly one.
          const asked = state.asked - askedBefore;
          const expected = asked === 0 ? '200' : outcomeOfAnswer(answers[askedBefore] ?? []);
          expect([asked <= 1, outcome]).toEqual([true, expected]);
        }
        scripts.delete(name);
      }),
      { numRuns: 2 * runsOfTest },
    );
    expectDeniedUntouched();
    for (const address of allowed)
      expect(connections.get(address)).toBeGreaterThan(runsOfTest / 25);
  },
  testTimeoutMs,
);
