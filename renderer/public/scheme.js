// Runs before the first paint, so that a window never flashes in the other theme. A file of its own because the CSP
// allows no inline script. ui/scheme.ts keeps the choice up to date afterwards.
(() => {
  const choice = localStorage.getItem('tonearm.scheme');
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
})();
