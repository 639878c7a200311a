// JSON lines on stderr. Secrets are removed here, so that no caller can forget to.
import { pino, type Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
/** No child loggers: their bindings would bypass the redaction. */
export type Log = Pick<Logger, LogLevel | 'level'>;

/** Secret fields in any spelling and with any prefix: `setup_token`, `newPassword`, `S3_SECRET_ACCESS_KEY`. */
const SECRET_FIELD = /^[pts]$|(?:token|password|secret|apikey|accesskey|accesskeyid|secretkey|authorization|cookies?)$/;
const SECRET_PARAMETERS = /([?&#](?:token|p|t|s|apiKey|password|(?:setup|access)_token)=)(?:[^&\s"#\\]|\\[^"\s])*/gi;
const SECRET_HEADERS = /\b(bearer )[\w.~+/=%-]{8,}/gi;
const HIDDEN = '***';
const DEEPEST = 8;

/** Redacts secret query parameters in a URL, or in text with URLs. */
export const redactUrl = (text: string): string =>
  text.replace(SECRET_PARAMETERS, `$1${HIDDEN}`).replace(SECRET_HEADERS, `$1${HIDDEN}`);

export function createLog(level: LogLevel, destination: NodeJS.WritableStream = process.stderr): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      hooks: { streamWrite: redactUrl }, // of the whole line, including messages and stacks
      serializers: { err: (error: unknown) => error }, // done by redactFields
    },
    destination as unknown as NodeJS.WriteStream,
  );
}

const redactFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  redact(fields, 0) as Record<string, unknown>;

function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return '…';
  if (value instanceof Error) return redact(fieldsOf(value), depth);
  if ('toJSON' in value && typeof value.toJSON === 'function') return redact(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name,
      isSecret(name) && held !== undefined ? HIDDEN : redact(held, depth + 1),
    ]),
  );
}

const isSecret = (name: string): boolean => SECRET_FIELD.test(name.toLowerCase().replace(/[_-]/g, ''));

function fieldsOf(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { name, message, ...('code' in error && { code: error.code }), stack, ...(cause !== undefined && { cause }) };
}
