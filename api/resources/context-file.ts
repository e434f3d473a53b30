import { contextFileData } from '../../lib/model/resource-data.ts';
import {
  type ContextFileDocument,
  type ProcessingStatus,
  processingStatuses,
} from '../../lib/model/resource.ts';
import { validator } from '../http/validate.ts';
import { descriptionField, nameField } from './resource-fields.ts';
import type { ResourceKind } from './resource-kind.ts';
import { named } from '../http/schemas.ts';
import { resourceData } from '../event-types/resource-data.ts';

export interface ChangeContextFileBody {
  fileName?: string;
  processingStatus?: ProcessingStatus;
  processingError?: string | null;
}

export interface CreateContextFileBody extends ChangeContextFileBody {
  fileName: string;
  contentType: string;
  sizeBytes: number;
}

const changeable = {
  fileName: nameField,
  processingStatus: {
    type: 'string',
    enum: [...processingStatuses],
    description: 'The default is `pending`. The statuses can follow each other in any order.',
  },
  processingError: {
    ...descriptionField,
    description:
      'It can be set with any status. Null removes it. A change to a status other than `failed` also removes it, unless the change sets it.',
  },
};

export const createContextFileBody = validator<CreateContextFileBody>({
  required: ['fileName', 'contentType', 'sizeBytes'],
  properties: {
    ...changeable,
    contentType: {
      type: 'string',
      format: 'mediaType',
      maxLength: 127,
      description: 'A media type (RFC 9110). It cannot be changed.',
    },
    sizeBytes: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'It cannot be changed.',
    },
  },
});

export const changeContextFileBody = validator<ChangeContextFileBody>({
  properties: changeable,
});

export const contextFileKind: ResourceKind<ContextFileDocument> = {
  entity: 'contextfile',
  collection: (store) => store.contextFiles,
  present: contextFileData,
};

export const contextFileSchema = named('ContextFile', resourceData.contextfile.schema);
