// The changes that the applications make and report.
import { type Application, nextMark, pick, pickWeighted, type Scene } from './application.ts';
import type { Reply, Wanted } from './caller.ts';
import type { ChangeCall } from './history.ts';

type Facts = Pick<ChangeCall, 'mark' | 'event' | 'resourceUid' | 'externalTenantId' | 'group'>;

const keptEventIds = 200;
const resourcesMax = 30;
const reportedResources = 12;
const tooLargeBytes = 300_000;
export const groups = 3;

/** Calls for one change, and keeps what the caller was told. */
async function change(
  { caller, observed }: Scene,
  application: Application,
  { wanted, body, ...facts }: Facts & { wanted: Wanted; body?: unknown },
): Promise<Reply> {
  const { app } = application;
  // A repeated PATCH would be another change.
  const patience = wanted.startsWith('PATCH') ? { patienceMs: 0 } : {};
  const reply = await caller.call(app, wanted, { body, ...patience });
  const { startMs, endMs, outcome } = reply;
  const uid = reply.body['uid'];
  const eventId = reply.body['eventId'];
  const told = {
    resourceUid: facts.resourceUid ?? (typeof uid === 'string' ? uid : null),
    eventId: typeof eventId === 'string' ? eventId : null,
  };
  observed.changes.push({ appUid: app.appUid, startMs, endMs, outcome, ...facts, ...told });
  return reply;
}

const tenant = 'tenant-1';
const erasedTenantOf = ({ erasures }: Application): string => `tenant-erased-${erasures}`;

/** Reports a change of one of a few agents. `group` decides whether filters match. */
export async function report(scene: Scene, application: Application): Promise<void> {
  const { random } = scene;
  const mark = nextMark(application);
  const group = Math.floor(random() * groups);
  const isTooLarge = random() < 0.005;
  const externalTenantId = random() < 0.1 ? erasedTenantOf(application) : tenant;
  const uid = `agt_${externalTenantId}_${Math.floor(random() * reportedResources)}`;
  const more = isTooLarge ? { text: 'x'.repeat(tooLargeBytes) } : {};
  const data = { uid, externalTenantId, group, mark, ...more };
  const reply = await change(scene, application, {
    wanted: 'POST /changes',
    body: { event: 'agent.updated', data },
    mark,
    event: 'agent.updated',
    resourceUid: uid,
    externalTenantId,
    group,
  });
  const eventId = reply.body['eventId'];
  if (reply.outcome !== 'accepted' || typeof eventId !== 'string') return;
  application.eventIds.push(eventId);
  if (application.eventIds.length > keptEventIds) application.eventIds.shift();
}

const plain = { externalTenantId: tenant, group: null };

/** Keeps the uid of a resource whose creation was acknowledged. */
function keep(uids: string[], { outcome, body }: Reply): void {
  if (outcome === 'accepted') uids.push(String(body['uid']));
}

async function createAgent(scene: Scene, application: Application): Promise<void> {
  const mark = nextMark(application);
  const body = { agentName: 'Agent', description: mark, externalTenantId: tenant };
  const facts = { mark, event: 'agent.created', resourceUid: null, ...plain };
  const call = { wanted: 'POST /agents', body } as const;
  keep(application.agents, await change(scene, application, { ...call, ...facts }));
}

async function createContext(scene: Scene, application: Application): Promise<void> {
  const mark = nextMark(application);
  const body = { contextName: 'Context', description: mark, externalTenantId: tenant };
  const facts = { mark, event: 'context.created', resourceUid: null, ...plain };
  const call = { wanted: 'POST /contexts', body } as const;
  keep(application.contexts, await change(scene, application, { ...call, ...facts }));
}

async function createFile(scene: Scene, application: Application): Promise<void> {
  const context = pick(scene.random, application.contexts);
  if (context === undefined) return;
  const mark = nextMark(application);
  const body = { fileName: `${mark}.txt`, contentType: 'text/plain', sizeBytes: 1 };
  const facts = { mark, event: 'contextfile.created', resourceUid: null, ...plain };
  const call = { wanted: `POST /contexts/${context}/files`, body } as const;
  const files = application.files.get(context) ?? [];
  application.files.set(context, files);
  keep(files, await change(scene, application, { ...call, ...facts }));
}

/** Changes an agent or a context, now and then one that another call is deleting. */
async function patch(
  scene: Scene,
  application: Application,
  [kind, uids]: readonly ['agent' | 'context', readonly string[]],
): Promise<void> {
  const uid = pick(scene.random, uids);
  if (uid === undefined) return;
  const mark = nextMark(application);
  const facts = { mark, event: `${kind}.updated`, resourceUid: uid, ...plain };
  const call = { wanted: `PATCH /${kind}s/${uid}`, body: { description: mark } } as const;
  await change(scene, application, { ...call, ...facts });
}

async function patchFile(scene: Scene, application: Application): Promise<void> {
  const [context, files] = pick(scene.random, [...application.files]) ?? [];
  const uid = pick(scene.random, files ?? []);
  if (context === undefined || uid === undefined) return;
  const mark = nextMark(application);
  const facts = { mark, event: 'contextfile.updated', resourceUid: uid, ...plain };
  const path = `/contexts/${context}/files/${uid}`;
  const body = { fileName: `${mark}.txt` };
  await change(scene, application, { wanted: `PATCH ${path}`, body, ...facts });
}

async function deleteOne(
  scene: Scene,
  application: Application,
  [kind, uids]: readonly ['agent' | 'context', string[]],
): Promise<void> {
  const uid = pick(scene.random, uids);
  if (uid === undefined || uids.length < 3) return;
  uids.splice(uids.indexOf(uid), 1);
  application.files.delete(uid);
  const facts = { mark: '', event: `${kind}.deleted`, resourceUid: uid, ...plain };
  await change(scene, application, { wanted: `DELETE /${kind}s/${uid}`, ...facts });
}

const weights = {
  report: 0.62,
  createAgent: 0.04,
  createContext: 0.03,
  createFile: 0.08,
  patchAgent: 0.1,
  patchContext: 0.05,
  patchFile: 0.05,
  deleteAgent: 0.02,
  deleteContext: 0.01,
};

/** Makes one change at random. */
export async function changeOne(scene: Scene, application: Application): Promise<void> {
  const { agents, contexts } = application;
  const kind = pickWeighted(scene.random, weights);
  if (kind === 'report') return report(scene, application);
  if (kind === 'createAgent' && agents.length < resourcesMax)
    return createAgent(scene, application);
  if (kind === 'createContext' && contexts.length < resourcesMax)
    return createContext(scene, application);
  if (kind === 'createFile') return createFile(scene, application);
  if (kind === 'patchFile') return patchFile(scene, application);
  if (kind === 'patchContext') return patch(scene, application, ['context', contexts]);
  if (kind === 'deleteAgent') return deleteOne(scene, application, ['agent', agents]);
  if (kind === 'deleteContext') return deleteOne(scene, application, ['context', contexts]);
  return patch(scene, application, ['agent', agents]);
}
