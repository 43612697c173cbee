/** The style of the reference page. Its hash is in the page's policy. */
export const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; display: grid; grid-template-columns: minmax(16rem, 22rem) 1fr }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; font-size: .85rem; border-right: 1px solid #8884 }
nav ul { list-style: none; margin: 0; padding: 0 }
nav h2 { font-size: .9rem; margin: 1rem 0 .25rem }
nav a { text-decoration: none; overflow-wrap: anywhere }
main { padding: 1rem 2rem 4rem; max-width: 60rem; min-width: 0 }
article { border-top: 1px solid #8884; padding: .5rem 0 1rem }
h3 { margin: .5rem 0; overflow-wrap: anywhere }
.summary { font-weight: 600 }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #8883 }
th { white-space: nowrap; font-weight: 400 }
td p, td table { margin: .25rem 0 }
code { font: .9em ui-monospace, monospace }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto } main { padding: 1rem } }
`;
