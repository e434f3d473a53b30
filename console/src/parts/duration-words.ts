const words: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
  d: 'day',
};

/** Returns a duration from the settings, such as `90d`, in words. Other texts are returned unchanged. */
export function durationWords(text: string): string {
  const [, count = '', unit = ''] = /^(\d+)([a-z]+)$/.exec(text) ?? [];
  const word = words[unit];
  if (word === undefined) return text;
  return `${count} ${word}${count === '1' ? '' : 's'}`;
}
