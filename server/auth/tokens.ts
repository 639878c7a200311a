// Access tokens: JSON Web Tokens, HS256 only, with sub (user), iat, exp, ver (the user's token version) and sid (the
// session).
import { createSecretKey, hash } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { SessionId, UserId } from '../db/ids.ts';

export interface TokenClaims {
  userId: UserId;
  sessionId: SessionId;
  version: number;
  expiresAtMs: number;
  /**
   * Scope of a token for URLs: `media`, `events` or a `downloadScope`; undefined for an access token, which has all.
   */
  scope: string | undefined;
}

interface TokensOptions {
  /** The value of JWT_SECRET. */
  secret: string;
  now: () => Date;
}

/** The owner of a token: the user, the session and the user's token version. */
type TokenOwner = Pick<TokenClaims, 'userId' | 'sessionId' | 'version'>;

/**
 * Returns the scope of a path below /api/v1 with its query. The order of parameters does not matter. The scope is a
 * hash, because a selection of tracks may be longer than a token.
 */
export function downloadScope(target: string): string {
  const { pathname, searchParams } = new URL(`http://localhost${target}`);
  searchParams.delete('token');
  searchParams.sort();
  return `download:${hash('sha256', `${pathname}?${searchParams.toString()}`, 'base64url')}`;
}

const MAX_CACHED_TOKENS = 1_000;
const MAX_TOKEN_CHARACTERS = 4_096;

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({ secret, now }: TokensOptions) {
  const key = createSecretKey(Buffer.from(secret, 'utf8'));
  // A cache of verified tokens, the oldest first. A page requests many covers with the same token, and checking a
  // signature is slow.
  const claimsByToken = new Map<string, TokenClaims>();

  const verifySignature = (token: string): TokenClaims | undefined => {
    try {
      const claims = jwt.verify(token, key, { algorithms: ['HS256'], clockTimestamp: seconds(now()) });
      return toClaims(claims);
    } catch {
      return undefined; // the token is foreign, expired or malformed, which callers do not distinguish
    }
  };

  return {
    sign({ userId, sessionId, version }: TokenOwner, ttlSeconds: number, scope?: string): string {
      const iat = seconds(now());
      const claims = {
        iat,
        exp: iat + ttlSeconds,
        ver: version,
        sid: sessionId,
        ...(scope !== undefined && { scope }),
      };
      return jwt.sign(claims, key, { algorithm: 'HS256', subject: String(userId) });
    },

    /**
     * Returns undefined unless the token was signed with this key and has not expired. The caller checks that the user
     * and the token version exist.
     */
    verify(token: string): TokenClaims | undefined {
      const cachedClaims = claimsByToken.get(token);
      if (cachedClaims) {
        if (now().getTime() < cachedClaims.expiresAtMs) return cachedClaims;
        claimsByToken.delete(token);
        return undefined;
      }
      const claims = token.length > MAX_TOKEN_CHARACTERS ? undefined : verifySignature(token);
      if (claims) remember(claimsByToken, token, claims);
      return claims;
    },
  };
}

function remember(claimsByToken: Map<string, TokenClaims>, token: string, claims: TokenClaims): void {
  const oldest = claimsByToken.size >= MAX_CACHED_TOKENS ? claimsByToken.keys().next().value : undefined;
  if (oldest !== undefined) claimsByToken.delete(oldest);
  claimsByToken.set(token, claims);
}

function toClaims(claims: string | jwt.JwtPayload): TokenClaims | undefined {
  if (typeof claims === 'string' || typeof claims.sub !== 'string' || !/^[1-9]\d{0,15}$/.test(claims.sub))
    return undefined;
  const version: unknown = claims['ver'];
  const sessionId: unknown = claims['sid'];
  const scope: unknown = claims['scope'];
  if (!Number.isSafeInteger(sessionId)) return undefined;
  if (!Number.isSafeInteger(version) || !Number.isSafeInteger(claims.exp) || !Number.isSafeInteger(claims.iat))
    return undefined;
  if (scope !== undefined && typeof scope !== 'string') return undefined;
  return {
    scope,
    userId: Number(claims.sub) as UserId,
    sessionId: sessionId as SessionId,
    version: version as number,
    expiresAtMs: (claims.exp as number) * 1_000,
  };
}

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);
