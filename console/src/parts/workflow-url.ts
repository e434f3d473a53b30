interface TemporalUi {
  temporalUiUrl: string | null;
  temporalNamespace: string;
}

/** Returns the URL of a workflow in Temporal's UI, or null if none is configured. */
export function workflowUrl(
  { temporalUiUrl, temporalNamespace }: TemporalUi,
  workflowId: string,
): string | null {
  if (temporalUiUrl === null) return null;
  const base = temporalUiUrl.replace(/\/+$/, '');
  const [namespace, workflow] = [temporalNamespace, workflowId].map(encodeURIComponent);
  return `${base}/namespaces/${namespace}/workflows/${workflow}`;
}
