// npm run lint [-- PATH …]: checks the formatting, then lints. Both report their findings, even if the first one fails.
import { spawnSync } from 'node:child_process';

const paths = process.argv.slice(2).map((path) => JSON.stringify(path));
const pathArguments = paths.length > 0 ? paths.join(' ') : '.';
const results = ['oxfmt --check', 'oxlint --type-aware --max-warnings 0'].map(
  (command) => spawnSync(`${command} ${pathArguments}`, { shell: true, stdio: 'inherit' }).status === 0,
);
process.exitCode = results.includes(false) ? 1 : 0;
