import express from 'express';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { expressReceiver } from '@agent-herald/receiver/express';
import { Revocations } from './revocations.mjs';

const { HERALD_URL, HERALD_APP_UID, HERALD_API_KEY, WEBHOOK_SECRET, PORT } = process.env;
const issuer = process.env.HERALD_ISSUER ?? HERALD_URL;
const clockSkewMs = Number(process.env.CLOCK_SKEW_SECONDS ?? 30) * 1_000;
// The longest that a token can have.
const lifetimeSeconds = 60 * 60;
const toleranceSeconds = 5;

const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', HERALD_URL));
const revocations = new Revocations((lifetimeSeconds + toleranceSeconds) * 1_000 + clockSkewMs);
let listeningSince = Infinity;

/** Returns the claims of a genuine token of the application. Throws if it is not one. */
async function readClaims(token) {
  const { payload } = await jwtVerify(token, keys, {
    algorithms: ['ES256'],
    typ: 'embed+jwt',
    issuer,
    audience: 'embedded-sdk',
    requiredClaims: ['sub', 'exp', 'jti', 'epoch', 'appEpoch'],
    maxTokenAge: lifetimeSeconds,
    clockTolerance: toleranceSeconds,
  });
  if (payload.app !== HERALD_APP_UID) throw new errors.JWTInvalid('of another application');
  return payload;
}

async function isActive(authToken, origin) {
  const url = `${HERALD_URL}/api/v1/appuid/${HERALD_APP_UID}/sdkusers/token/verify`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': HERALD_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ authToken, origin }),
    signal: AbortSignal.timeout(5_000),
  });
  if (!response.ok) throw new Error(`the service responded ${response.status}`);
  return (await response.json()).active;
}

/** Without an origin the caller is no web page. */
function isGoodOffline(claims, origin) {
  const isForOrigin = !claims.origins || !origin || claims.origins.includes(origin);
  return isForOrigin && !revocations.refuse(claims);
}

function isOutage(error) {
  const codes = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT'];
  return !(error instanceof errors.JOSEError) || codes.includes(error.code);
}

async function judge(token, origin) {
  try {
    const claims = await readClaims(token);
    // A token from before this process listened may have been revoked when nobody was told.
    const isOlder = claims.iat * 1_000 < listeningSince + clockSkewMs;
    const isGood = isOlder ? await isActive(token, origin) : isGoodOffline(claims, origin);
    const checked = isOlder ? 'online' : 'offline';
    const { sub: userUid, tenant: externalTenantId } = claims;
    return { status: isGood ? 200 : 401, body: { userUid, externalTenantId, checked } };
  } catch (error) {
    // Without the keys or the service, nobody is let in.
    if (isOutage(error)) console.error(error);
    return { status: isOutage(error) ? 503 : 401, body: { error: error.message } };
  }
}

const app = express();

// Before express.json(): the signature is checked over the raw body.
app.post(
  '/hook',
  expressReceiver({
    secrets: WEBHOOK_SECRET,
    onEvent(event) {
      if (/tokens?_revoked$/.test(event.event)) revocations.add(event.data);
    },
    onError: console.error,
  }),
);

app.get('/me', (request, response) => {
  const token = (request.get('authorization') ?? '').replace(/^Bearer /, '');
  void judge(token, request.get('origin')).then(({ status, body }) =>
    response.status(status).json(body),
  );
});

const server = app.listen(PORT ?? 4000, (error) => {
  if (error) throw error;
  listeningSince = Date.now();
  console.log(`listening on ${server.address().port}`);
});
