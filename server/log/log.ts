// One wide line per request and per job attempt, as JSON on stderr; secrets are taken out here, so no caller can forget to.
import { pino, type Logger } from 'pino';

export type Log = Logger;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRET_FIELDS = ['token', 'p', 't', 's', 'apiKey', 'authorization', 'password', 'current_password', 'setup_token', 'access_token', 'cookie'];
const SECRET_PARAMETERS = /([?&](?:token|p|t|s|apiKey|password|setup_token)=)[^&\s"#]*/gi;

/** Takes the values of secret query parameters out of a URL or any text that holds one. */
export const redactUrl = (text: string): string => text.replace(SECRET_PARAMETERS, '$1***');

export function createLog(level: LogLevel, destination: NodeJS.WritableStream = process.stderr): Log {
  return pino({
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '***' },
    serializers: { url: (url: string) => redactUrl(url), err: serializeError },
  }, destination as unknown as NodeJS.WriteStream);
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  return {
    name,
    message: redactUrl(message),
    ...('code' in error && { code: error.code }),
    stack: stack && redactUrl(stack),
    ...(cause !== undefined && { cause: serializeError(cause) }),
  };
}
