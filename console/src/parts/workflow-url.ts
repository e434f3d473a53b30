interface TemporalUi {
  temporalUiUrl: string | null;
  temporalNamespace: string;
}

/** Returns the page of a workflow in Temporal's UI; null where that is not known. */
export function workflowUrl(
  { temporalUiUrl, temporalNamespace }: TemporalUi,
  workflowId: string,
): string | null {
  if (temporalUiUrl === null) return null;
  const base = temporalUiUrl.replace(/\/+$/, '');
  const [namespace, workflow] = [temporalNamespace, workflowId].map(encodeURIComponent);
  return `${base}/namespaces/${namespace}/workflows/${workflow}`;
}
