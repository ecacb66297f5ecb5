import path from 'node:path'
import { type Import, importsOf, readSources, type Sources } from './source-files.ts'

/** The modules of the server, lowest first, as in ARCHITECTURE.md: folders, or single files of server/. */
const SERVER =
  'lib config storage markdown http rules realms https mail people identity groups channels messages notifications integrations mail-in presence invitations accounts organizations directories workflows transfer events monitoring api site jobs app databases testing main cli parley vite.config'.split(
    ' ',
  )

/** The modules of the web client, lowest first. */
const WEB =
  'help-pages text ui message-html api browser store messages live navigation help forms emoji scheduling picking people message-view channels composer conversation inbox search settings directory invitations integrations organization sidebar app chunks component-texts vite.config'.split(
    ' ',
  )

/** Returns the reason why a file may not import another, or null if it may. */
function forbidden(file: string, { target, isType }: Import, files: ReadonlyMap<string, unknown>): string | null {
  const [side, from] = file.replace(/\.tsx?$/, '').split('/')
  const [otherSide, to, inside, deeper] = target.replace(/\.tsx?$/, '').split('/')
  if (/\.test\.tsx?$/.test(target)) return 'tests must not be imported'
  if (side === 'web' && otherSide === 'server')
    return isType || to === 'rules' ? null : 'the client may import types and rules of the server, but no other values'
  if (side !== otherSide) return `${side} must not depend on ${otherSide}`
  if (from === 'rules' && to !== 'rules') return 'rules, which the client shares, may only import each other'
  const order = side === 'web' ? WEB : SERVER
  if (!order.includes(from!)) return `"${from}" is missing in the list of modules`
  if (from !== to && deeper !== undefined) return `subfolders of ${to} are private`
  if (from !== to && inside !== undefined && files.has(`${side}/${to}.ts`)) return `the folder of ${to}.ts is private`
  return order.indexOf(to!) <= order.indexOf(from!) ? null : `${from} is below ${to}`
}

/** Returns each import that closes a cycle, found by walking from every file in turn. */
function findCycles(graph: ReadonlyMap<string, readonly Import[]>): string[] {
  const problems: string[] = []
  const walked = new Set<string>()
  const walk = (file: string, trail: readonly string[]) => {
    if (trail.includes(file))
      problems.push(`imports in a circle: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`)
    if (walked.has(file)) return
    walked.add(file)
    for (const { target } of graph.get(file) ?? []) walk(target, [...trail, file])
  }
  for (const file of graph.keys()) walk(file, [])
  return problems
}

/** Returns the problems with the imports between these files, one line each; imports of types count, too. */
export function checkImports(sources: Sources): string[] {
  const graph = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]))
  const checked = [...graph].filter(([file]) => /^(?:server|web)\//.test(file) && !/\.test\.tsx?$/.test(file))
  const problems = checked.flatMap(([file, imports]) =>
    imports.map((one) => [`${file}:${one.line} imports ${one.target}`, forbidden(file, one, graph)]),
  )
  return [...problems.flatMap(([text, why]) => (why === null ? [] : [`${text}: ${why}`])), ...findCycles(graph)]
}

if (import.meta.main) {
  const problems = checkImports(await readSources(path.dirname(import.meta.dirname)))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
