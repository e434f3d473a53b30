import type { AgentData, ContextData, ContextFileData } from '../../lib/model/resource-data.ts';
import type { Entity } from '../../lib/model/event-name.ts';
import { processingStatuses } from '../../lib/model/resource.ts';
import { objectOf, text, time } from '../http/schemas.ts';
import { type EventData, sampleTime, sampleUid } from './event-data.ts';

const common = {
  uid: text,
  appUid: text,
  externalTenantId: text,
  createdAt: time,
  updatedAt: time,
};

const sampleCommon = {
  externalTenantId: 'tenant-1',
  createdAt: sampleTime,
  updatedAt: sampleTime,
};

const agent: EventData = {
  schema: objectOf<AgentData>(
    {
      ...common,
      agentName: text,
      live: { type: 'boolean' },
      description: text,
      accountUids: { type: 'array', items: text },
    },
    ['description', 'accountUids'],
  ),
  sampleOf: (appUid): AgentData => ({
    uid: sampleUid('agt'),
    appUid,
    ...sampleCommon,
    agentName: 'Support',
    live: true,
    description: 'Answers questions',
    accountUids: [sampleUid('acc')],
  }),
};

const context: EventData = {
  schema: objectOf<ContextData>({ ...common, contextName: text, description: text }, [
    'description',
  ]),
  sampleOf: (appUid): ContextData => ({
    uid: sampleUid('ctx'),
    appUid,
    ...sampleCommon,
    contextName: 'Manuals',
    description: 'All of them',
  }),
};

const contextfile: EventData = {
  schema: objectOf<ContextFileData>(
    {
      ...common,
      contextUid: text,
      fileName: text,
      contentType: text,
      sizeBytes: { type: 'integer', minimum: 0 },
      processingStatus: { type: 'string', enum: [...processingStatuses] },
      processingError: text,
    },
    ['processingError'],
  ),
  sampleOf: (appUid): ContextFileData => ({
    uid: sampleUid('cfl'),
    appUid,
    ...sampleCommon,
    contextUid: sampleUid('ctx'),
    fileName: 'manual.pdf',
    contentType: 'application/pdf',
    sizeBytes: 482_113,
    processingStatus: 'failed',
    processingError: 'the file is encrypted',
  }),
};

/** The `data` of the events of each entity: the complete resource. */
export const resourceData: Readonly<Record<Entity, EventData>> = { agent, context, contextfile };
