// The kinds in which the service looks a text up, each through an index and up to a few rows.
import { type CallOptions, HeraldProblem, NotSignedInError } from '@agent-herald/client';
import type { AppCalls } from '../api/client.ts';
import { pagesOf } from '../parts/pages-of.ts';
import { isWholeAddress } from '../pages/users/whole-address.ts';
import { nameOfUser } from '../pages/users/user-name.ts';
import { type Finding, type FindingGroup, findingsMax, groupOf } from './findings.ts';
import type { Recognised } from './recognise.ts';

interface Search {
  calls: AppCalls;
  appUid: string;
  options: CallOptions;
}

interface Lookup {
  /** The name of the group. */
  name: string;
  find: (search: Search) => Promise<FindingGroup>;
}

const limit = findingsMax;

/** Returns what the service is asked for a text. */
export function lookupsOf(recognised: Recognised): readonly Lookup[] {
  if (recognised.kind === 'key') return [keys(recognised.keyId)];
  if (recognised.kind === 'named')
    return recognised.named.kind === 'job' ? [jobs(recognised.named.uid)] : [];
  if (recognised.kind === 'page' || recognised.text === '') return [];
  const { text } = recognised;
  const others = [users(text), accounts(text), tenants(text), resources(text)];
  // Logs show the ID of a key without `ahk_`.
  return /^[0-9A-Za-z]{4,12}$/.test(text) ? [...others, keys(text)] : others;
}

function users(text: string): Lookup {
  const find: Lookup['find'] = async ({ calls, appUid, options }) => {
    const list = async (filters: object) =>
      (await orNothing(calls.users.list({ ...filters, limit }, options).page())) ?? none;
    const found = await Promise.all([
      list({ externalId: text }),
      isWholeAddress(text) ? list({ email: text }) : none,
      list({ namePrefix: text }),
    ]);
    const byUid = new Map(found.flatMap(({ data }) => data).map((user) => [user.uid, user]));
    const findings = [...byUid.values()].map((user) => ({
      id: user.uid,
      label: nameOfUser(user),
      detail: user.externalId ?? user.email ?? user.uid,
      link: pagesOf(appUid, user.uid).user,
    }));
    return cut(groupOf('Users', findings), found);
  };
  return { name: 'Users', find };
}

function accounts(namePrefix: string): Lookup {
  const find: Lookup['find'] = async ({ calls, appUid, options }) => {
    const page = await calls.accounts.list({ namePrefix, limit }, options).page();
    const findings = page.data.map(({ uid, name }) => {
      return { id: uid, label: name, detail: uid, link: pagesOf(appUid, uid).account };
    });
    return cut(groupOf('Accounts', findings), [page]);
  };
  return { name: 'Accounts', find };
}

function tenants(prefix: string): Lookup {
  const find: Lookup['find'] = async ({ calls, appUid, options }) => {
    const { data } = await calls.tenants.list({ prefix }, options).page();
    const findings = data.slice(0, limit).flatMap(({ externalTenantId }): Finding[] => {
      const rest = { params: { appUid }, search: { externalTenantId } };
      const [id, label] = [`tenant ${externalTenantId}`, externalTenantId];
      return [
        {
          id: `events of ${id}`,
          label,
          detail: 'Events of this tenant',
          link: { to: '/apps/$appUid/events', ...rest },
        },
        {
          id: `deliveries of ${id}`,
          label,
          detail: 'Deliveries of this tenant',
          link: { to: '/apps/$appUid/deliveries', ...rest },
        },
      ];
    });
    return { name: 'Tenants', findings, isCut: data.length > limit };
  };
  return { name: 'Tenants', find };
}

function resources(resourceUid: string): Lookup {
  const find: Lookup['find'] = async ({ calls, appUid, options }) => {
    const { data } = await calls.events.list({ resourceUid, limit: 1 }, options).page();
    const findings = data.map(({ event, externalTenantId }) => ({
      id: `resource ${resourceUid}`,
      label: `Events of ${resourceUid}`,
      detail: `Latest: ${event}, tenant ${externalTenantId}`,
      link: { to: '/apps/$appUid/events', params: { appUid }, search: { resourceUid } } as const,
    }));
    return groupOf('Resources', findings);
  };
  return { name: 'Resources', find };
}

function keys(keyIdPrefix: string): Lookup {
  const find: Lookup['find'] = async ({ calls, appUid, options }) => {
    const page = await calls.apiKeys.list({ keyIdPrefix, limit }, options).page();
    const findings = page.data.map(({ uid, keyId, name, state }) => ({
      id: uid,
      label: name,
      detail: `ahk_${keyId}, ${state}`,
      link: { to: '/apps/$appUid/keys', params: { appUid }, search: { keyId } } as const,
    }));
    return cut(groupOf('API keys', findings), [page]);
  };
  return { name: 'API keys', find };
}

/** A replay, a sync or an erasure: their IDs look the same. */
function jobs(uid: string): Lookup {
  const find: Lookup['find'] = async ({ calls, appUid, options }) => {
    const [replay, sync, erasure] = await Promise.all([
      orNothing(calls.replays.get(uid, options)),
      orNothing(calls.syncs.get(uid, options)),
      orNothing(calls.erasures.get(uid, options)),
    ]);
    const findings: Finding[] = [];
    if (replay !== null) {
      const detail = `${replay.state}, ${replay.releasedCount.toLocaleString('en')} deliveries`;
      findings.push({
        id: 'replay',
        label: 'Open this replay',
        detail,
        link: pagesOf(appUid, uid).replay,
      });
    }
    if (sync !== null) {
      const detail = `${sync.state}, ${sync.releasedCount.toLocaleString('en')} deliveries`;
      const link = pagesOf(appUid, uid).sync;
      findings.push({ id: 'sync', label: 'Open this sync', detail, link });
    }
    if (erasure !== null) {
      const detail = `${erasure.state}, ${erasure.erasedCount.toLocaleString('en')} payloads erased`;
      const link = { to: '/apps/$appUid/erasures', params: { appUid } } as const;
      findings.push({ id: 'erasure', label: 'Open this erasure', detail, link });
    }
    return groupOf('Replays, syncs and erasures', findings);
  };
  return { name: 'Replays, syncs and erasures', find };
}

const none = { data: [], nextCursor: null };

function cut(group: FindingGroup, pages: readonly { nextCursor: string | null }[]): FindingGroup {
  return { ...group, isCut: group.isCut || pages.some(({ nextCursor }) => nextCursor !== null) };
}

/** A text that no resource can have as its identifier matches nothing, and neither does what does not exist. */
async function orNothing<Result>(call: Promise<Result>): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof HeraldProblem && (error.status === 400 || error.status === 404))
      return null;
    throw error;
  }
}

export interface LookedUp {
  groups: FindingGroup[];
  /** The kinds that could not be searched. */
  failed: string[];
}

/** Looks up in all kinds concurrently. If one fails, the others are shown. */
export async function lookUp(lookups: readonly Lookup[], search: Search): Promise<LookedUp> {
  const settled = await Promise.allSettled(lookups.map(({ find }) => orNothing(find(search))));
  const reasons = settled.map((each) => (each.status === 'rejected' ? each.reason : null));
  const ended = reasons.find((reason) => reason instanceof NotSignedInError);
  if (ended !== undefined) throw ended;
  const groups = settled.flatMap((each) =>
    each.status === 'fulfilled' && each.value !== null ? [each.value] : [],
  );
  const failed = lookups.filter((_lookup, n) => settled[n]?.status === 'rejected');
  return { groups, failed: failed.map(({ name }) => name) };
}
