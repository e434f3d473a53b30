// An integrator of a deployed service: signs a user in, registers a webhook, reports changes, verifies what arrives.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeraldClient } from '../../packages/client-ts/src/index.ts';
import { nodeReceiver } from '../../packages/receiver-ts/src/node.ts';

const changeEveryMs = 50;
const receiptTimeoutMs = 60_000;
const pollMs = 50;

interface IntegratorOptions {
  readonly apiUrl: string;
  readonly appUid: string;
  readonly apiKey: string;
  /** The address at which the service reaches this machine. */
  readonly hostAddress: string;
}

/** Calls a service and receives its webhooks, until it is disposed of. */
export class Integrator implements AsyncDisposable {
  readonly #client: HeraldClient;
  readonly #receivedIds = new Set<string>();
  readonly #server = createServer();
  readonly #hostAddress: string;

  constructor({ hostAddress, apiUrl, ...credentials }: IntegratorOptions) {
    this.#client = new HeraldClient({ url: apiUrl, ...credentials });
    this.#hostAddress = hostAddress;
  }

  /** Signs a user in and registers a webhook. Throws if the token is not valid. */
  async begin(): Promise<void> {
    const { users, webhooks } = this.#client;
    const { authToken } = await users.signIn({ externalId: 'user-1', accountUids: [] });
    const { active } = await users.verifyToken({ authToken });
    if (!active) throw new Error('the token of the user who signed in is not active');
    this.#server.listen(0, '0.0.0.0');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const url = `http://${this.#hostAddress}:${port}/hook`;
    const { secret } = await webhooks.create({ url, entities: ['agent'] });
    const receive = nodeReceiver({
      secrets: secret,
      onEvent: ({ eventId }) => void this.#receivedIds.add(eventId),
    });
    this.#server.on('request', (request, response) => void receive(request, response));
  }

  /** Reports a change, and returns its event's ID and the milliseconds until its verified receipt. */
  async change(): Promise<{ eventId: string; tookMs: number }> {
    const eventId = await this.#report(0);
    const startedAt = performance.now();
    await this.#waitFor([eventId]);
    return { eventId, tookMs: performance.now() - startedAt };
  }

  /**
   * Reports changes while the work is done, and describes the result. Throws if none is accepted, or if an accepted one
   * does not arrive. Others may fail.
   */
  async underLoad(work: () => Promise<void>): Promise<string> {
    const stopping = new AbortController();
    const accepted: string[] = [];
    let refused = 0;
    const report = (n: number): Promise<void> =>
      this.#report(n).then(
        (eventId) => void accepted.push(eventId),
        () => void (refused += 1),
      );
    const load = async (): Promise<void> => {
      const calls: Promise<void>[] = [];
      for (let n = 0; !stopping.signal.aborted; n += 1) {
        calls.push(report(n));
        await sleep(changeEveryMs);
      }
      await Promise.all(calls);
    };
    const loaded = load();
    const startedAt = performance.now();
    try {
      await work();
    } finally {
      stopping.abort();
      await loaded;
    }
    const took = `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
    if (accepted.length === 0) throw new Error('no change was accepted under load');
    await this.#waitFor(accepted);
    return `in ${took}: of ${accepted.length} accepted changes none was lost; ${refused} were not accepted`;
  }

  async #report(n: number): Promise<string> {
    const data = { uid: `agt_${n % 20}`, externalTenantId: 'tenant-1' };
    const { eventId } = await this.#client.changes.report({ event: 'agent.updated', data });
    return eventId;
  }

  async #waitFor(eventIds: readonly string[]): Promise<void> {
    const missing = () => eventIds.filter((id) => !this.#receivedIds.has(id));
    const deadline = performance.now() + receiptTimeoutMs;
    while (missing().length > 0) {
      if (performance.now() > deadline)
        throw new Error(
          `${missing().length} of ${eventIds.length} events did not arrive: ${missing()[0]}, …`,
        );
      await sleep(pollMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
