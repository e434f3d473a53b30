// Names a place in a body, as errors do: a JSON pointer in the form of a fragment (RFC 6901 §6).

// Keys of strangers may be as long as a body; nobody needs all of one to find it.
const stepCharactersMax = 200;

/** Gives the pointer to what the steps lead to, such as `#/entities/1`. */
export function pointerTo(steps: readonly (string | number)[]): string {
  return ['#', ...steps.map(escape)].join('/');
}

function escape(step: string | number): string {
  const text = String(step);
  const shown = text.length > stepCharactersMax ? `${text.slice(0, stepCharactersMax)}…` : text;
  return shown.replaceAll('~', '~0').replaceAll('/', '~1');
}
