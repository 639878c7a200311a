// Parts of resources/languages/en.json, made by the plugin in vite.config.ts.
declare module '*en.json?window' {
  const texts: object;
  export default texts;
}
declare module '*en.json?pages' {
  const texts: object;
  export default texts;
}
declare module '*en.json?guest' {
  const texts: object;
  export default texts;
}
declare module '*en.json?settings' {
  const texts: object;
  export default texts;
}
declare module '*en.json?finding' {
  const texts: object;
  export default texts;
}
declare module '*en.json?devices' {
  const texts: object;
  export default texts;
}
