import type { ProcessingStatus } from './resource.ts';

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
