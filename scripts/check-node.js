// Imported before anything else: ends with one sentence when Node is too old for the rest. Plain JavaScript, which an
// old Node reads too. `engines` in package.json says the same.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 2)) {
  // npm runs the Node that `npm ci` brought, where there is one; so under npm there is none
  const other = process.env.npm_lifecycle_event ? '' : ', or start Tonearm with "npm start"';
  console.error(
    `Tonearm needs Node.js 24.2 or newer, and this is ${process.versions.node}: install it from https://nodejs.org${other}.`,
  );
  process.exit(1);
}
