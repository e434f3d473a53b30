export interface Change {
  field: string;
  /** Null where the row does not tell it. */
  before: string | null;
  after: string;
}

function textOf(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function wordsOf(field: string): string {
  return field.replaceAll(
    /([a-z])([A-Z0-9])/g,
    (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`,
  );
}

const previousOf = (field: string): string =>
  `previous${field.charAt(0).toUpperCase()}${field.slice(1)}`;

/** Returns what a row of the audit log tells of a change; `previousName` is what `name` was before. */
export function changesOf(details: Readonly<Record<string, unknown>> = {}): Change[] {
  const fields = Object.keys(details);
  const paired = new Set(fields.map(previousOf).filter((field) => field in details));
  return fields
    .filter((field) => !paired.has(field))
    .map((field) => {
      const previous = previousOf(field);
      return {
        field: wordsOf(field),
        before: previous in details ? textOf(details[previous]) : null,
        after: textOf(details[field]),
      };
    });
}
