import type {
  AgentDocument,
  ContextDocument,
  ContextFileDocument,
  ProcessingStatus,
} from './resource.ts';

// Resources as responses and events contain them. Times are ISO 8601; a field without a value is left out.

type CommonData = {
  uid: string;
  appUid: string;
  externalTenantId: string;
  createdAt: string;
  updatedAt: string;
};

export type AgentData = CommonData & {
  agentName: string;
  live: boolean;
  description?: string;
  accountUids?: string[];
};

export type ContextData = CommonData & {
  contextName: string;
  description?: string;
};

export type ContextFileData = CommonData & {
  contextUid: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  processingStatus: ProcessingStatus;
  processingError?: string;
};

export function agentData(agent: AgentDocument): AgentData {
  return {
    uid: agent._id,
    appUid: agent.appUid,
    agentName: agent.agentName,
    externalTenantId: agent.externalTenantId,
    live: agent.live,
    ...withoutNulls({ description: agent.description, accountUids: agent.accountUids }),
    createdAt: agent.createdAt.toISOString(),
    updatedAt: agent.updatedAt.toISOString(),
  };
}

export function contextData(context: ContextDocument): ContextData {
  return {
    uid: context._id,
    appUid: context.appUid,
    contextName: context.contextName,
    externalTenantId: context.externalTenantId,
    ...withoutNulls({ description: context.description }),
    createdAt: context.createdAt.toISOString(),
    updatedAt: context.updatedAt.toISOString(),
  };
}

export function contextFileData(file: ContextFileDocument): ContextFileData {
  return {
    uid: file._id,
    appUid: file.appUid,
    contextUid: file.contextUid,
    fileName: file.fileName,
    contentType: file.contentType,
    sizeBytes: file.sizeBytes,
    externalTenantId: file.externalTenantId,
    processingStatus: file.processingStatus,
    ...withoutNulls({ processingError: file.processingError }),
    createdAt: file.createdAt.toISOString(),
    updatedAt: file.updatedAt.toISOString(),
  };
}

function withoutNulls<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
