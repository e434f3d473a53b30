// The documents for integrators that the service itself serves, as Markdown.

/** What each document describes, by its file in docs/. */
export const servedDocuments = {
  'api.md': 'The rules of the API: keys, paging, idempotency, sign-in, tokens, events, recovery',
  'webhooks.md':
    'How events are delivered: payloads, signatures, retries, order, filters, replays, syncs',
  'embedding.md': 'How a web page keeps the token of an embedded conversation valid',
  'troubleshooting.md': 'Why an event does not arrive, or arrives late, twice or out of order',
  'reliability.md': 'What is promised, how we try to break it, and the results',
  'admin.md': 'The admin area: sign-in, roles, members, API keys',
  'limits.md': 'All limits of the service',
  'security.md': 'How the service protects data, receivers and itself',
  'glossary.md': 'The terms',
  'migration.md': 'How to leave the retired sign-in flow',
} as const;

type DocumentName = keyof typeof servedDocuments;

export function isServed(name: string): name is DocumentName {
  return Object.hasOwn(servedDocuments, name);
}

/** Leaves only the text of links to documents that are not served. */
export function withServedLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, text: string, target: string) => {
    const [file = ''] = target.split('#');
    const isKept = file === '' || /^[a-z]+:/.test(file) || isServed(file);
    return isKept ? link : text;
  });
}

/** Returns the index of the documents for assistants, in the form of llmstxt.org. */
export function llmsText(): string {
  const documents = Object.entries(servedDocuments).map(
    ([name, description]) => `- [${name}](docs/${name}): ${description}`,
  );
  return [
    '# agent-herald',
    '',
    '> Signs in the users of embedded AI agents, and sends signed webhooks about changes to agents, contexts and context',
    '> files, with retries for days. Back ends call the API with an API key; receivers verify signatures.',
    '',
    '## Documents',
    '',
    ...documents,
    '',
    '## Contract',
    '',
    '- [openapi.json](openapi.json): every call, with its scope, fields, responses and problems (OpenAPI)',
    '',
  ].join('\n');
}
