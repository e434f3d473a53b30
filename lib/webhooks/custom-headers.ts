import { isSetBySender } from '../egress/request-headers.ts';
import { limits } from '../limits.ts';
import type { FaultCode } from '../platform/errors.ts';

interface HeaderFault {
  /** Null for a fault of all headers together. */
  name: string | null;
  code: FaultCode;
  detail: string;
}

export const headerNameCharactersMax = 100;
// RFC 9110 §5.6.2.
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// RFC 9110 §5.5, without tabs and obs-text.
export const headerValue = /^[!-~](?:[ -~]*[!-~])?$/;

/** Headers that the service sets, or that describe its body, connection or caller and so cannot be fixed. */
const reservedNames: ReadonlySet<string> = new Set([
  'accept-charset',
  'cookie',
  'date',
  'forwarded',
  'http2-settings',
  'set-cookie',
  'traceparent',
  'tracestate',
  'upgrade-insecure-requests',
  'user-agent',
  'via',
]);
const reservedStarts = ['content-', 'proxy-', 'webhook-', 'x-forwarded-', 'x-webhook-'] as const;

/** Returns the faults of a webhook's custom headers. Valid headers are sent exactly as written. */
export function headerFaults(headers: Readonly<Record<string, string>>): HeaderFault[] {
  const seen = new Set<string>();
  const faults = Object.entries(headers).flatMap(([name, value]): HeaderFault[] => {
    const fault = nameFault(name) ?? valueFault(value);
    const isRepeated = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    if (fault !== null) return [{ name, ...fault }];
    const detail = 'is given twice; upper and lower case do not differ';
    return isRepeated ? [{ name, code: 'repeated', detail }] : [];
  });
  const bytes = Object.entries(headers).reduce((sum, [name, value]) => {
    return sum + Buffer.byteLength(name) + Buffer.byteLength(value);
  }, 0);
  if (bytes <= limits.webhookHeaderBytesMax) return faults;
  const detail = `must have at most ${limits.webhookHeaderBytesMax} bytes in total (got ${bytes})`;
  return [...faults, { name: null, code: 'too_large', detail }];
}

type Fault = Omit<HeaderFault, 'name'> | null;

function nameFault(name: string): Fault {
  const lower = name.toLowerCase();
  if (!headerName.test(name)) {
    const detail = "must be a name of letters, digits and !#$%&'*+-.^_`|~";
    return { code: 'header_name', detail };
  }
  if (name.length > headerNameCharactersMax) {
    return {
      code: 'header_name',
      detail: `must have at most ${headerNameCharactersMax} characters`,
    };
  }
  if (lower === 'authorization') return { code: 'reserved', detail: 'is set by auth' };
  const isReserved =
    isSetBySender(lower) ||
    reservedNames.has(lower) ||
    reservedStarts.some((start) => lower.startsWith(start));
  return isReserved ? { code: 'reserved', detail: 'is reserved; choose another name' } : null;
}

function valueFault(value: string): Fault {
  if (headerValue.test(value)) return null;
  const rule = 'visible ASCII characters, with spaces only between them';
  return { code: 'header_value', detail: `must have a value of ${rule}` };
}
