import { expect, test } from 'vitest';
import { isUserUid } from '../src/pages/users/user-uid.ts';

test.each([
  ['usr_01m7zs6k2v5t9w8x4y7z0a1b2c', true],
  ['usr_01m7zs6k2v5t9w8x4y7z0a1b2', false],
  ['usr_01m7zs6k2v5t9w8x4y7z0a1b2c0', false],
  ['usr_anna', false],
  ['01m7zs6k2v5t9w8x4y7z0a1b2c', false],
])('%s is the uid of a user: %s; otherwise it is an external ID', (text, isUid) => {
  expect(isUserUid(text)).toBe(isUid);
});
