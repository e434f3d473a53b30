export interface Change {
  field: string;
  /** Null if the row does not have it. */
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the changes that an audit row describes. The previous `name` is in `previousName`, or in the `name` of
 * `previous`.
 */
export function changesOf(row: Readonly<Record<string, unknown>> = {}): Change[] {
  const { previous, ...plain } = row;
  const details: Record<string, unknown> = isObject(previous) ? plain : row;
  const former = isObject(previous) ? previous : {};
  const fields = Object.keys(details);
  const paired = new Set(fields.map(previousOf).filter((field) => field in details));
  return fields
    .filter((field) => !paired.has(field))
    .map((field) => {
      const earlier = field in former ? former[field] : details[previousOf(field)];
      return {
        field: wordsOf(field),
        before: earlier === undefined ? null : textOf(earlier),
        after: textOf(details[field]),
      };
    });
}
