// A key can be as long as the body.
const stepCharactersMax = 200;

/** Returns a JSON pointer as a fragment (RFC 6901 §6), such as `#/entities/1`. */
export function pointerTo(steps: readonly (string | number)[]): string {
  return ['#', ...steps.map(escape)].join('/');
}

function escape(step: string | number): string {
  const text = String(step);
  const shown = text.length > stepCharactersMax ? `${text.slice(0, stepCharactersMax)}…` : text;
  // Truncation may leave half of a character.
  return shown.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the steps of a JSON pointer (RFC 6901 §5), such as `/entities/1`. */
export function stepsOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(unescaped);
}

/** Returns the name that a pointer refers to, for use in a sentence: `entities.1`. */
export function nameAt(pointer: string): string {
  return stepsOf(pointer).join('.');
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
