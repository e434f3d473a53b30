import { limits } from '../../lib/limits.ts';

// RFC 9110 §5.6.2, §5.6.4 and §8.3.1, without tabs.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';
const mediaType = new RegExp(`^${token}/${token}(?: *; *${token}=(?:${token}|${quoted}))*$`);

/** The string formats of schemas, each with the sentence that a caller gets. */
export const textFormats = {
  line: {
    validate: (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
    fault: 'must hold no control characters and no line breaks',
  },
  text: {
    validate: (text: string) => !/[^\P{Cc}\t\n\r]/u.test(text),
    fault: 'must hold no control characters but tabs and line breaks',
  },
  key: {
    validate: (text: string) => /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(text),
    fault: 'must hold only letters, digits, "_", "-" and ".", and begin with a letter or digit',
  },
  token: {
    validate: (text: string) => /^[!-~]+$/.test(text),
    fault: 'must hold only visible ASCII characters',
  },
  mediaType: {
    validate: (text: string) => mediaType.test(text),
    fault: 'must be a media type such as application/pdf or text/plain; charset=utf-8',
  },
} as const;

/** A text of 1 to `charactersMax` characters that breaks no log line and moves no terminal's cursor. */
export function lineField(charactersMax: number) {
  return { type: 'string', minLength: 1, maxLength: charactersMax, format: 'line' };
}

export const tenantField = lineField(limits.tenantCharactersMax);

export const uidField = lineField(64);
