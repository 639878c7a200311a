// The log: readable lines on a terminal, JSON lines elsewhere, and JSON lines in a file, if there is one. Secrets are
// removed here, so that no caller can forget it.
import { pino, type Logger } from 'pino';
import { createLogLosses, type LogLosses } from './log-losses.ts';
import { toTerminalLine } from './terminal-line.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
/** No child loggers: their bindings would bypass the redaction. */
export type Log = Pick<Logger, LogLevel | 'level'>;

/** Matches secret fields in any spelling and with any prefix: `setup_token`, `newPassword`, `S3_SECRET_ACCESS_KEY`. */
const SECRET_FIELD = /^[pts]$|(?:token|password|secret|apikey|accesskey|accesskeyid|secretkey|authorization|cookies?)$/;
/** Matches parameters of queries, forms and fragments. The name may be percent-encoded. */
const PARAMETER = /([?&#;])([^?&#;=\s"\\]{1,200})=((?:[^&\s"#\\]|\\[^"\s])*)/g;
const SECRET_PARAMETER = /^(?:[pts]|auth|sig|.*(?:token|password|passwd|secret|key|signature))$/;
/** Matches `user:password@` of an address. */
const USER_INFO = /:\/\/[^\s/?#"\\]*@/g;
/** Addresses of shares are secret: whoever has the address can listen. */
const SHARE_PATH = /(\/share\/)[\w%-]{6,}/gi;
const SECRET_HEADERS = /\b(bearer )[\w.~+/=%-]{8,}/gi;
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g;
const HIDDEN = '***';
const MAX_DEPTH = 8;
/** Limits of a text and a list: clients choose parts of what is logged, and a line is redacted as a whole. */
const MAX_CHARS = 4_000;
const MAX_ITEMS = 100;

/** Shortens text from outside; to be called before the text is searched for secrets. */
export const cutForLog = (text: string): string => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);

/** Redacts the values of secret query parameters in a URL, or in text that holds one, however they are spelled. */
export const redactUrl = (text: string): string =>
  text
    .replace(PARAMETER, (match, separator: string, name: string) =>
      SECRET_PARAMETER.test(decodeName(name)) ? `${separator}${name}=${HIDDEN}` : match,
    )
    .replace(USER_INFO, `://${HIDDEN}@`)
    .replace(SHARE_PATH, `$1${HIDDEN}`)
    .replace(SECRET_HEADERS, `$1${HIDDEN}`)
    .replace(JSON_WEB_TOKEN, HIDDEN);

/** Decodes a name as some servers do: `%74oken`, `t%6Fken` and `TOKEN` are all `token`. */
function decodeName(name: string): string {
  const decodedName = name
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const fullyDecoded = decodedName === name || !decodedName.includes('%') ? decodedName : decodeName(decodedName);
  return fullyDecoded.toLowerCase().replace(/[^a-z_]/g, '');
}

/** For each log, a function that returns whether the log is losing lines. */
const lossChecks = new WeakMap<Log, () => boolean>();

/** Returns whether a destination of the log currently takes no lines. */
export const isLosingLines = (log: Log): boolean => lossChecks.get(log)?.() ?? false;

export function createLog(
  level: LogLevel,
  destination: NodeJS.WritableStream = process.stderr,
  file?: { write(line: string): void },
): Log {
  const isTerminal = 'isTTY' in destination && destination.isTTY === true;
  const createLossesOf = (place: string): LogLosses =>
    createLogLosses({
      onBegin: (error) => log.warn({ place, err: error }, 'the log cannot be written'),
      onEnd: (lines) => log.warn({ place, lines }, 'the log can be written again; these lines are lost'),
    });
  const [fileLosses, outputLosses] = [createLossesOf('data folder'), createLossesOf('output')];

  function write(line: string): void {
    if (file) tryWriteFile(file, line);
    const text = isTerminal ? toTerminalLine(line, { withStacks: level === 'debug' || level === 'trace' }) : line;
    destination.write(text, (error) => outputLosses.record(error));
  }

  function tryWriteFile(logFile: { write(line: string): void }, line: string): void {
    try {
      logFile.write(line);
      fileLosses.record();
    } catch (error) {
      fileLosses.record(error);
    }
  }

  const log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      hooks: { streamWrite: redactUrl }, // redacts the whole line, including messages and stacks
      serializers: { err: (error: unknown) => error }, // redactFields serializes errors
    },
    { write },
  );
  lossChecks.set(log, () => fileLosses.isLosing() || outputLosses.isLosing());
  return log;
}

const redactFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  redact(fields, 0) as Record<string, unknown>;

function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cutForLog(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '…';
  if (value instanceof Error) return redact(fieldsOf(value), depth);
  if ('toJSON' in value && typeof value.toJSON === 'function') return redact(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ITEMS)
      .map(([name, fieldValue]) => [
        cutForLog(name),
        isSecret(cutForLog(name)) && fieldValue !== undefined ? HIDDEN : redact(fieldValue, depth + 1),
      ]),
  );
}

const isSecret = (name: string): boolean => SECRET_FIELD.test(name.toLowerCase().replace(/[_-]/g, ''));

function fieldsOf(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { name, message, ...('code' in error && { code: error.code }), stack, ...(cause !== undefined && { cause }) };
}
