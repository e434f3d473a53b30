interface ResourceDocument {
  _id: string;
  appUid: string;
  externalTenantId: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface AgentDocument extends ResourceDocument {
  agentName: string;
  live: boolean;
  description: string | null;
  accountUids: string[] | null;
}

export interface ContextDocument extends ResourceDocument {
  contextName: string;
  description: string | null;
  /** Stored here so that creating a file conflicts with deleting its context. */
  fileCount: number;
}

export const processingStatuses = ['pending', 'processing', 'ready', 'failed'] as const;
export type ProcessingStatus = (typeof processingStatuses)[number];

type Processing = { since: Date; isReported: boolean };

export const processingFrom = (since: Date): Processing => ({ since, isReported: false });

export interface ContextFileDocument extends ResourceDocument {
  contextUid: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  processingStatus: ProcessingStatus;
  /** The current stay in the status `processing`; null in another status. */
  processing: Processing | null;
  processingError: string | null;
}
