// npm run lint [-- PATH …]: checks the formatting, then lints. Both report their findings, even if the first one fails.
import { spawnSync } from 'node:child_process';

const paths = process.argv.slice(2).map((path) => JSON.stringify(path));
const where = paths.length > 0 ? paths.join(' ') : '.';
const passed = ['oxfmt --check', 'oxlint --type-aware --max-warnings 0'].map(
  (command) => spawnSync(`${command} ${where}`, { shell: true, stdio: 'inherit' }).status === 0,
);
process.exitCode = passed.includes(false) ? 1 : 0;
