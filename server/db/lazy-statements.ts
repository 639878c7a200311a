// Statements that are compiled when they first run. A start makes over six hundred, and most of them wait for a
// request, a job or a scan that comes much later or never.
import type { Database, Statement } from 'better-sqlite3';

type Mode = (statement: Statement) => unknown;

/** What the product uses of a statement. */
class LateStatement {
  #compiled: Statement | undefined;
  #modes: Mode[] = [];
  readonly #compile: () => Statement;

  constructor(compile: () => Statement) {
    this.#compile = compile;
  }

  run(...params: unknown[]) {
    return this.#statement().run(...params);
  }

  get(...params: unknown[]) {
    return this.#statement().get(...params);
  }

  all(...params: unknown[]) {
    return this.#statement().all(...params);
  }

  iterate(...params: unknown[]) {
    return this.#statement().iterate(...params);
  }

  pluck(on = true): this {
    return this.#set((statement) => statement.pluck(on));
  }

  raw(on = true): this {
    return this.#set((statement) => statement.raw(on));
  }

  #set(mode: Mode): this {
    if (this.#compiled) mode(this.#compiled);
    else this.#modes.push(mode);
    return this;
  }

  #statement(): Statement {
    if (!this.#compiled) {
      this.#compiled = this.#compile();
      for (const mode of this.#modes) mode(this.#compiled);
    }
    return this.#compiled;
  }
}

/** From here on the connection compiles a statement when it first runs, and only then. */
export function compileLate(client: Database): void {
  const prepare = client.prepare.bind(client);
  client.prepare = ((source: string) =>
    new LateStatement(() => prepare(compiledOnce(source)))) as unknown as Database['prepare'];
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
