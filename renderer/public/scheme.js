// Runs before the first paint, so that a window never flashes in the other theme or with other rows. A file of its own
// because the CSP allows no inline script. ui/scheme.ts and ui/density.ts keep the choices up to date afterwards.
(() => {
  const choice = localStorage.getItem('tonearm.scheme');
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
  document.documentElement.dataset.density = localStorage.getItem('tonearm.density') ?? 'comfortable';
})();
