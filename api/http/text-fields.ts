import { limits } from '../../lib/limits.ts';
import { parseUrl } from '../../lib/egress/parse-url.ts';
import { isIdentifying } from '../../lib/platform/unicode.ts';

// RFC 9110 §5.6.2, §5.6.4 and §8.3.1, without tabs.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z\\-]+";
const quoted = '"(?:[ !#-[\\]-~]|\\\\[ -~])*"';

/** For a character class: characters that break log lines or move the cursor of a terminal. */
export const controlCharacters = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';

interface TextFormat {
  /** A regular expression of ECMA-262 with the flag `u`. The contract shows it. */
  pattern: string;
  validate: (text: string) => boolean;
  /** The message for the caller. */
  fault: string;
}

function format(pattern: string, fault: string): TextFormat {
  const shape = new RegExp(pattern, 'u');
  return { pattern, validate: (text) => shape.test(text), fault };
}

const line = format(
  `^[^${controlCharacters}]*$`,
  'must not contain control characters or line breaks',
);

const originForm = format(
  '^(?:https://(?:[a-z0-9._-]+|\\[[0-9a-f:]+\\])|http://(?:localhost|127\\.0\\.0\\.1))(?::[0-9]{1,5})?$',
  'must be an origin such as https://app.example.com: lower case, no path, no default port, and http only for localhost and 127.0.0.1',
);

/** The string formats of schemas. */
export const textFormats = {
  line,
  identifier: {
    ...line,
    // `minLength` reports an empty text.
    validate: (text: string) => line.validate(text) && (text === '' || isIdentifying(text)),
    fault:
      'must contain a visible character, no control or invisible characters, and be in Unicode normal form NFC',
  },
  origin: {
    ...originForm,
    validate: (text: string) => originForm.validate(text) && parseUrl(text)?.origin === text,
  },
  text: format(
    '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$',
    'must not contain control characters other than tabs and line breaks',
  ),
  key: format(
    '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
    'must contain only letters, digits, "_", "-" and ".", and begin with a letter or digit',
  ),
  token: format('^[!-~]+$', 'must contain only visible ASCII characters'),
  mediaType: format(
    `^${token}/${token}(?: *; *${token}=(?:${token}|${quoted}))*$`,
    'must be a media type such as application/pdf or text/plain; charset=utf-8',
  ),
} as const;

/** A text of 1 to `charactersMax` characters that cannot break log lines or move the cursor of a terminal. */
export function lineField(charactersMax: number) {
  return { type: 'string', minLength: 1, maxLength: charactersMax, format: 'line' };
}

/** The handler computes the canonical form, and rejects an address that has none. */
export const emailField = {
  type: 'string',
  minLength: 1,
  maxLength: limits.emailCharactersMax,
  published: { format: 'email' },
};

/** The handler parses it. */
export const timeField = { type: 'string', maxLength: 40, published: { format: 'date-time' } };

/** A caller's identifier, compared exactly. The introduction of the contract has the remaining rules. */
export function identifierField(charactersMax: number) {
  return { ...lineField(charactersMax), format: 'identifier' };
}

export const tenantField = identifierField(limits.tenantCharactersMax);

export const uidField = lineField(128);
