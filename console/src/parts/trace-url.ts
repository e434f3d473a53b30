interface Traces {
  traceUrlTemplate: string | null;
}

const traceIdForm = /^[0-9a-f]{32}$/;

/** Returns the URL of a trace in the operators’ tool, or null if none is configured. */
export function traceUrl({ traceUrlTemplate }: Traces, traceId: string): string | null {
  const isWeb = traceUrlTemplate !== null && /^https?:\/\//i.test(traceUrlTemplate);
  if (!isWeb || !traceIdForm.test(traceId)) return null;
  return traceUrlTemplate.replace('{traceId}', traceId);
}
