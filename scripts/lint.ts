// npm run lint [-- PATH …]: formatting, then lint. Both say what they find, so that neither hides behind the other.
import { spawnSync } from 'node:child_process';

const paths = process.argv.slice(2).map((path) => JSON.stringify(path));
const where = paths.length > 0 ? paths.join(' ') : '.';
const passed = ['oxfmt --check', 'oxlint --type-aware --max-warnings 0'].map(
  (command) => spawnSync(`${command} ${where}`, { shell: true, stdio: 'inherit' }).status === 0,
);
process.exitCode = passed.includes(false) ? 1 : 0;
