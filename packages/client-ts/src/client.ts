import { checkVisible } from './checks.ts';
import { calls, type HeraldCalls } from './generated/calls.ts';
import { groupsOf } from './groups.ts';
import type { HeraldClientOptions } from './options.ts';
import { type CallFacts, segmentOf, Transport } from './transport.ts';

/** Client of the service, with an API key. No property holds the key, so it never appears in logs. */
export class HeraldClient implements HeraldCalls {
  declare readonly users: HeraldCalls['users'];
  declare readonly accounts: HeraldCalls['accounts'];
  declare readonly webhooks: HeraldCalls['webhooks'];
  declare readonly webhookReplays: HeraldCalls['webhookReplays'];
  declare readonly agents: HeraldCalls['agents'];
  declare readonly contexts: HeraldCalls['contexts'];
  declare readonly contextFiles: HeraldCalls['contextFiles'];
  declare readonly changes: HeraldCalls['changes'];
  declare readonly events: HeraldCalls['events'];
  declare readonly eventTypes: HeraldCalls['eventTypes'];
  declare readonly deliveries: HeraldCalls['deliveries'];
  declare readonly replays: HeraldCalls['replays'];
  declare readonly syncs: HeraldCalls['syncs'];
  declare readonly erasures: HeraldCalls['erasures'];
  declare readonly stats: HeraldCalls['stats'];
  declare readonly settings: HeraldCalls['settings'];
  declare readonly auditLog: HeraldCalls['auditLog'];
  declare readonly service: HeraldCalls['service'];

  constructor(options: HeraldClientOptions) {
    const { appUid, apiKey } = options;
    // Checked here because an error of fetch would show the key.
    if (apiKey !== undefined) checkVisible('apiKey', apiKey);
    if (appUid !== undefined) {
      checkVisible('appUid', appUid);
      segmentOf('appUid', appUid);
    }
    if ((apiKey === undefined) !== (appUid === undefined))
      throw new TypeError('appUid and apiKey must be given together');
    const headersOf = ({ id, needsKey }: CallFacts): Record<string, string> => {
      if (!needsKey) return {};
      if (!apiKey) throw new TypeError(`${id} needs a client with appUid and apiKey`);
      return { authorization: `Bearer ${apiKey}` };
    };
    Object.assign(this, groupsOf(new Transport(options, { appUid, headersOf }), calls));
  }
}
