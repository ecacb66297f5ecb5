// The command of releases: starts the server without arguments or with `start`, and otherwise runs the command line.
// Either is loaded only if it is needed.
const [word, ...rest] = process.argv.slice(2)
if (word === undefined) await import('./main.ts')
else if (word === 'start' && rest.length === 0) {
  process.argv.splice(2)
  await import('./main.ts')
} else await import('./cli.ts')
