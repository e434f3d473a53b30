// What the browser can check of a webhook before the call. The service checks everything.
import { filterFault, type WebhookValues } from './webhook-values.ts';

const wait = /^\d+(?:ms|s|m|h|d)$/;

/** Returns what is wrong with a field, or null. */
export const webhookFaults = {
  url: (url: string): string | null =>
    url.trim() === '' ? 'Enter the URL of your receiver.' : null,
  events: (events: readonly string[]): string | null =>
    events.length === 0 ? 'Choose at least one event.' : null,
  filter: filterFault,
  signatures: (signatures: readonly string[]): string | null =>
    signatures.length === 0 ? 'Choose at least one version.' : null,
  retrySchedule: (waits: readonly string[] | null): string | null => {
    const wrong = waits?.find((text) => !wait.test(text.trim()));
    return wrong === undefined ? null : `Write ${wrong} as a number and a unit, such as 30s or 2h.`;
  },
};

/** The fields that the form folds away. */
export const advancedFields: readonly string[] = [
  'externalTenantIds',
  'filter',
  'ordering',
  'ratePerSecond',
  'ratePerSecondPerTenant',
  'retrySchedule',
  'signatures',
  'cloudEvents',
  'secret',
  'headers',
  'auth',
  'tls',
  'description',
  'metadata',
];

/** Checks whether a webhook uses what the form folds away. */
export function usesAdvanced(values: WebhookValues): boolean {
  const { externalTenantIds, filter, ordering, ratePerSecond, retrySchedule, headers } = values;
  return (
    externalTenantIds.length > 0 ||
    filter !== '' ||
    ordering !== 'parallel' ||
    ratePerSecond !== '' ||
    values.ratePerSecondPerTenant !== '' ||
    values.cloudEvents ||
    retrySchedule !== null ||
    values.signatures.includes('v1a') ||
    headers === null ||
    headers.length > 0 ||
    values.auth.type !== 'none' ||
    values.tls.type !== 'none' ||
    values.description !== '' ||
    values.metadata.length > 0
  );
}
