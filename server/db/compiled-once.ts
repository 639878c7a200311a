// SQLite compiles a statement anew when a parameter is bound whose value could matter for its plan: one of LIMIT, or
// one that is compared with a column. The driver clears all parameters after each run, so such a statement would be
// compiled whenever it runs, which takes longer than most need to run. SQLite does not look at a parameter behind a
// unary plus, which has no other effect: plans then never depend on values.

/** What is quoted or a comment, or else a comparison or LIMIT with its parameter. */
const PARAMETERS = /'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[^]*?\*\/|((?:=|\b(?:IS|NOT|LIMIT|OFFSET)\b)\s*)([?@:$]\w*)/gi;

/** The same statement, compiled once. */
export const compiledOnce = (sql: string): string =>
  sql.replace(PARAMETERS, (whole, before: string | undefined, parameter: string) =>
    before === undefined ? whole : `${before}+${parameter}`,
  );
