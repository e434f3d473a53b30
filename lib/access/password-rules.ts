import { commonPasswords } from './common-passwords.ts';

/** The length of a canonical password in code points. */
export const passwordCharacters = { min: 12, max: 128 } as const;
const { min: charactersMin, max: charactersMax } = passwordCharacters;
const differentMin = 5;

/** `detail` is the end of a sentence, without the password. */
interface PasswordFault {
  code: 'password_length' | 'password_too_uniform' | 'password_is_email' | 'password_common';
  detail: string;
}

/** Returns null if the password is long enough and not on a blocklist (NIST SP 800-63B §3.1.1.2). */
export function passwordFault(password: string, email: string): PasswordFault | null {
  const text = canonicalPassword(password);
  const characters = Array.from(text);
  const { length } = characters;
  if (length < charactersMin || length > charactersMax) {
    const detail = `must have ${charactersMin} to ${charactersMax} characters (got ${length})`;
    return { code: 'password_length', detail };
  }
  const different = new Set(characters).size;
  if (different < differentMin) {
    const detail = `must have at least ${differentMin} different characters (got ${different})`;
    return { code: 'password_too_uniform', detail };
  }
  const lowered = text.toLowerCase();
  const name = email.toLowerCase();
  if (lowered === name || lowered === name.slice(0, name.lastIndexOf('@'))) {
    const detail = 'must not be the email address or its part before the @';
    return { code: 'password_is_email', detail };
  }
  if (!commonPasswords.has(lowered)) return null;
  return { code: 'password_common', detail: 'is one of the most common passwords' };
}

/** Maps the input of different keyboards to the same text (NIST SP 800-63B §3.1.1.2). */
export function canonicalPassword(password: string): string {
  return password.normalize('NFKC');
}
