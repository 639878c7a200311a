// The style sheet of the documentation page.

export const docsStyle = `
:root {
  --ground: #fbfaf8;
  --card: #fff;
  --line: #e4e0da;
  --text: #22201d;
  --soft: #6a645c;
  --link: #8a4b08;
  --code: #f3f0ea;
  --get: #0b6e4f;
  --post: #1a56b0;
  --put: #8a5a00;
  --patch: #7a3e9d;
  --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16140f;
    --card: #1f1c17;
    --line: #37322a;
    --text: #ece7df;
    --soft: #a69e92;
    --link: #f0b066;
    --code: #2a261f;
    --get: #5fd0a4;
    --post: #82b1ff;
    --put: #e6b450;
    --patch: #d6a2f5;
    --delete: #ff8a80;
  }
}
* {
  box-sizing: border-box;
}
html {
  scroll-behavior: smooth;
  scroll-padding-top: 1rem;
}
body {
  margin: 0;
  display: grid;
  grid-template-columns: 14rem minmax(0, 1fr);
  background: var(--ground);
  color: var(--text);
  font:
    15px/1.55 system-ui,
    sans-serif;
}
nav {
  position: sticky;
  top: 0;
  height: 100vh;
  overflow-y: auto;
  padding: 1.5rem 1rem;
  border-right: 1px solid var(--line);
}
nav ul {
  list-style: none;
  margin: 0 0 1rem;
  padding: 0;
}
nav a {
  display: flex;
  justify-content: space-between;
  gap: 0.35rem;
  padding: 0.2rem 0.5rem;
  border-radius: 0.4rem;
  color: inherit;
  text-decoration: none;
}
nav a:hover {
  background: var(--code);
}
.brand {
  margin: 0 0.5rem 1rem;
  font-weight: 700;
  font-size: 1.1rem;
}
.brand span {
  color: var(--soft);
  font-weight: 400;
  font-size: 0.85rem;
}
main {
  padding: 2rem clamp(1rem, 4vw, 3rem) 6rem;
  max-width: 68rem;
}
h1 {
  margin: 0 0 0.5rem;
  font-size: 1.8rem;
}
h2 {
  margin: 2.5rem 0 0.75rem;
  font-size: 1.2rem;
}
h3 {
  margin: 1rem 0 0.35rem;
  font-size: 0.85rem;
  color: var(--soft);
}
.lead {
  color: var(--soft);
  max-width: 46rem;
}
small {
  color: var(--soft);
}
a {
  color: var(--link);
}
a:focus-visible,
summary:focus-visible {
  outline: 2px solid var(--link);
  outline-offset: 2px;
}
details {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  margin: 0.4rem 0;
}
summary {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  gap: 0.25rem 0.75rem;
  padding: 0.55rem 0.85rem;
  cursor: pointer;
  list-style: none;
  border-radius: 0.6rem;
}
summary::-webkit-details-marker {
  display: none;
}
summary:hover {
  background: var(--code);
}
.inside {
  padding: 0 0.85rem 0.85rem;
  overflow-x: auto;
  scroll-margin-top: 3.5rem;
}
code {
  font:
    13.5px/1.5 ui-monospace,
    monospace;
  overflow-wrap: anywhere;
}
th code {
  overflow-wrap: normal;
}
pre {
  margin: 0.5rem 0 0.85rem;
  padding: 0.6rem 0.75rem;
  border-radius: 0.4rem;
  background: var(--code);
  white-space: pre-wrap;
}
var {
  font-style: normal;
  color: var(--link);
}
.method {
  min-width: 4.2rem;
  font:
    700 12px/1.6 ui-monospace,
    monospace;
}
.get {
  color: var(--get);
}
.post {
  color: var(--post);
}
.put {
  color: var(--put);
}
.patch {
  color: var(--patch);
}
.delete {
  color: var(--delete);
}
.what {
  color: var(--soft);
  flex: 1 1 14rem;
}
.access {
  font-size: 0.78rem;
  padding: 0.05rem 0.55rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  color: var(--soft);
}
.access.superuser {
  color: var(--delete);
  border-color: currentcolor;
}
.access.public {
  color: var(--get);
  border-color: currentcolor;
}
table {
  border-collapse: collapse;
  width: 100%;
  font-size: 0.92rem;
}
th,
td {
  padding: 0.3rem 0.75rem 0.3rem 0;
  border-top: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
  font-weight: 400;
}
tr:first-child > * {
  border-top: 0;
}
th {
  width: 12rem;
}
td {
  overflow-wrap: break-word;
}
td:nth-child(2) {
  width: 45%;
}
.status {
  font:
    700 12px/1.6 ui-monospace,
    monospace;
}
.s2 {
  color: var(--get);
}
.s4,
.s5,
.sd {
  color: var(--delete);
}
@media (max-width: 760px) {
  body {
    display: block;
  }
  nav {
    position: static;
    height: auto;
    border-right: 0;
    border-bottom: 1px solid var(--line);
  }
  nav ul {
    display: flex;
    flex-wrap: wrap;
  }
  th {
    width: auto;
  }
}
`;
