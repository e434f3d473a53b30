import { expect, test } from 'vitest';
import { browserWords } from '../src/parts/browser-words.ts';

const like = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${like} Chrome/143.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${like} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`,
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 Mobile/15E148 Safari/604.1',
    'Chrome on iOS',
  ],
  ['Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  ['Mozilla/5.0 (X11; CrOS x86_64 16000) Chrome/143.0 Safari/537.36', 'Chrome on ChromeOS'],
  ['Firefox/145.0', 'Firefox'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', ''],
])('%s is %s', (userAgent, words) => {
  expect(browserWords(userAgent)).toBe(words);
});
