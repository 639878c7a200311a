// The environment of child processes: only the variables that programs need to run, no settings or secrets of the
// server.
const PASSED_VARIABLES = [
  'PATH',
  'Path',
  'PATHEXT',
  'HOME',
  'USERPROFILE',
  'SYSTEMROOT',
  'SystemRoot',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
];
/** Additional variables for programs that use the network. */
export const NETWORK_VARIABLES = [
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

export const childEnvironment = (
  env: NodeJS.ProcessEnv = process.env,
  extraVariables: readonly string[] = [],
): NodeJS.ProcessEnv =>
  Object.fromEntries(
    [...PASSED_VARIABLES, ...extraVariables].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
