// The schemas of texts: which characters they may hold, and how many.
import { limits } from '../../lib/limits.ts';

// RFC 9110 §5.6.2, §5.6.4 and §8.3.1, without tabs.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const quoted = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';
const mediaType = new RegExp(`^${token}/${token}(?: *; *${token}=(?:${token}|${quoted}))*$`);

/** The formats of texts, by the name that schemas use, each with what a caller is told. */
export const textFormats = {
  line: {
    accepts: (text: string) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
    fault: 'must hold no control characters and no line breaks',
  },
  text: {
    accepts: (text: string) => !/[^\P{Cc}\t\n\r]/u.test(text),
    fault: 'must hold no control characters but tabs and line breaks',
  },
  mediaType: {
    accepts: (text: string) => mediaType.test(text),
    fault: 'must be a media type such as application/pdf or text/plain; charset=utf-8',
  },
} as const;

interface TextField {
  type: 'string';
  minLength: number;
  maxLength: number;
  format: keyof typeof textFormats;
}

/**
 * A text of one line, such as a name or somebody else's id: of 1 to `charactersMax` characters, none
 * of which would break a line of a log or move a terminal's cursor.
 */
export function lineField(charactersMax: number): TextField {
  return { type: 'string', minLength: 1, maxLength: charactersMax, format: 'line' };
}

/** An integrator's own id of a tenant, wherever one is named. */
export const tenantField = lineField(limits.tenantCharactersMax);

/** A uid as callers may write one; whether there is such a thing is another question. */
export const uidField = lineField(64);
