// Statements that are compiled when they first run, and kept. A start makes over six hundred, and most of them wait for
// a request, a job or a scan that comes much later or never. Drizzle makes its statements anew for each query, always
// with the same texts, and compiling one takes longer than most need to run.
import type { Database, Statement } from 'better-sqlite3';

/** What rows are given as: better-sqlite3 knows one of these at a time. */
type Mode = 'rows' | 'pluck' | 'raw';
type Compile = (mode: Mode) => Statement;

/** Compiled statements that are kept, least recently asked for first out. */
const KEPT = 300;

/** What the product uses of a statement. */
class LateStatement {
  #compiled: Statement | undefined;
  #mode: Mode = 'rows';
  readonly #shared: Compile;
  readonly #own: Compile;

  constructor(shared: Compile, own: Compile) {
    this.#shared = shared;
    this.#own = own;
  }

  run(...params: unknown[]) {
    return this.#statement().run(...params);
  }

  /**
   * A statement that writes and returns rows is committed when it ends, and the driver's `get` ends it at its first row
   * without looking whether that went well: on a full disk it would give the row of a write that was never stored.
   */
  get(...params: unknown[]) {
    const statement = this.#statement();
    return statement.reader && !statement.readonly ? statement.all(...params)[0] : statement.get(...params);
  }

  all(...params: unknown[]) {
    return this.#statement().all(...params);
  }

  /** With a statement of its own: one that is busy cannot be run by others. */
  iterate(...params: unknown[]) {
    return this.#own(this.#mode).iterate(...params);
  }

  pluck(on = true): this {
    return this.#set('pluck', on);
  }

  raw(on = true): this {
    return this.#set('raw', on);
  }

  #set(mode: Mode, on: boolean): this {
    if (on || this.#mode === mode) {
      this.#mode = on ? mode : 'rows';
      this.#compiled = undefined;
    }
    return this;
  }

  #statement(): Statement {
    return (this.#compiled ??= this.#shared(this.#mode));
  }
}

/** From here on the connection compiles a statement when it first runs, and once for all with the same text. */
export function compileLate(client: Database): void {
  const prepare = client.prepare.bind(client);
  const kept = new Map<string, Statement>();

  function compile(source: string, mode: Mode): Statement {
    const statement = prepare(compiledOnce(source));
    return mode === 'rows' ? statement : statement[mode]();
  }
  function shared(source: string, mode: Mode): Statement {
    const key = `${mode} ${source}`;
    const statement = kept.get(key) ?? compile(source, mode);
    kept.delete(key);
    kept.set(key, statement);
    const [oldest] = kept.size > KEPT ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
    return statement;
  }
  client.prepare = ((source: string) =>
    new LateStatement(
      (mode) => shared(source, mode),
      (mode) => compile(source, mode),
    )) as unknown as Database['prepare'];
}

/** What is quoted or a comment, or else a comparison or LIMIT with its parameter. */
const PARAMETERS = /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?\*\/|((?:=|\b(?:IS|NOT|LIMIT|OFFSET)\b)\s*)([?@:$]\w*)/gi;

/**
 * The same statement, compiled once. SQLite compiles it anew when a parameter is bound whose value could matter for its
 * plan: one of LIMIT, or one that is compared with a column. The driver clears all parameters after each run, so such a
 * statement would be compiled whenever it runs, which takes longer than most need to run. SQLite does not look at a
 * parameter behind a unary plus, which has no other effect: plans then never depend on values.
 */
const compiledOnce = (sql: string): string =>
  sql.replace(PARAMETERS, (whole, before: string | undefined, parameter: string) =>
    before === undefined ? whole : `${before}+${parameter}`,
  );
