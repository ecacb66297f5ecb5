import path from 'node:path'
import { type Import, importsOf, readSources, type Sources } from './source-files.ts'

/** The layers of ARCHITECTURE.md, lowest first: a file imports its own and those before it. */
const LAYERS = [
  [
    'platform/runtime',
    'platform/errors',
    'platform/security',
    'platform/encoding',
    'platform/text',
    'platform/net',
    'platform/jobs',
  ],
  ['config'],
  ['platform/storage'],
  ['transfer/backups'],
  ['platform/images'],
  ['events/log'],
  ['platform/markdown'],
  ['delivery/mail'],
  ['people/users/role'],
  ['rules'],
  ['organizations/realms'],
  ['people/users'],
  ['people/sessions'],
  ['people/statuses'],
  ['people/profiles'],
  ['groups'],
  ['channels/user-topics'],
  ['channels'],
  ['channels/subscriptions'],
  ['people/mutes'],
  ['people/alert-words'],
  ['delivery/webhooks/calls'],
  ['delivery/web-push/notices'],
  ['messages'],
  ['presence'],
  ['messages/typing'],
  ['messages/drafts'],
  ['messages/scheduled-messages'],
  ['delivery/webhooks'],
  ['delivery/web-push'],
  ['messages/snippets'],
  ['people/bot-storage'],
  ['people/push-tokens'],
  ['invitations'],
  ['messages/uploads'],
  ['people/accounts'],
  ['invitations/joining'],
  ['organizations'],
  ['transfer/importing'],
  ['transfer/exporting'],
  ['transfer/data-exports'],
  ['organizations/setup'],
  ['events'],
  ['operations'],
  ['http'],
  ['http/pages'],
  ['http/web-client'],
  ['endpoints'],
  ['api', 'site', 'jobs'],
  ['app'],
  ['testing'],
  ['main', 'cli', 'vite.config'],
]

/** The files of the server whose values the client may import: pure rules, which import only each other. */
const SHARED_RULES = ['server/rules/', 'server/people/users/role.ts']

const isShared = (file: string) => SHARED_RULES.some((path) => file.startsWith(path))

/** The functions of role.ts that decide who may do what. */
const ROLE_CHECKS = /\b(?:isAdministrator|isOwner)\b/

/** A comparison with a role and all those above it. */
const ROLE_COMPARISON = /\brole\s*(?:<=?|>=?)\s*Role\./

/** The files of the server that compare roles: rules about who may do what, and what describes a role itself. */
const COMPARES_ROLES = [
  /[/-]access\.ts$/,
  /^server\/rules\//,
  /^server\/people\/users\/(?:role|user-json)\.ts$/,
  /^server\/events\/state\/people\.ts$/,
  // The groups that consist of the users with a role.
  /^server\/groups\/(?:group|members)\.ts$/,
]

/** The layers of the web client, lowest first, each a folder of web/. */
const WEB_LAYERS = ['text', 'ui', 'api', 'store', 'views', 'app']

const rankOf = (layer: string) => LAYERS.findIndex((names) => names.includes(layer))
const isTest = (file: string) => file.endsWith('.test.ts')

/**
 * Returns the layer of a server file: the longest layer name that its path starts with, or its folder if there is none.
 * The `endpoints` of all folders up to `http` form one layer, and so do the `operations` of features that compose
 * others.
 */
function layerOf(file: string): string {
  const parts = file.replace(/\.ts$/, '').split('/').slice(1)
  const prefixes = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  const layer = prefixes.find((prefix) => rankOf(prefix) !== -1) ?? parts.slice(0, -1).join('/')
  if (/\/(?:[\w-]+-)?endpoints(?:\.ts$|\/)/.test(file) && rankOf(layer) <= rankOf('http')) return 'endpoints'
  return file.includes('/operations/') ? 'operations' : layer
}

/** Returns the reason why a file of the server may not import another, or null if it may. */
function forbidden(file: string, target: string): string | null {
  if (!target.startsWith('server/')) return 'the server must not depend on tests, tools and benches'
  if (isTest(target)) return 'tests must not be imported'
  if (isShared(file) && !isShared(target)) return 'rules that the client shares may only import each other'
  const from = layerOf(file)
  const to = layerOf(target)
  if (rankOf(to) === -1 || rankOf(to) <= rankOf(from)) return null
  if (to === 'http') return `only endpoints and the layers above them may import http, and this is ${from}`
  return `${from} is below ${to}`
}

function layerProblems(file: string, imports: Import[]): string[] {
  if (!file.startsWith('server/') || isTest(file)) return []
  if (rankOf(layerOf(file)) === -1) return [`${file}: "${layerOf(file)}" is missing in the list of layers`]
  return imports.flatMap(({ target, line }) => {
    const why = forbidden(file, target)
    return why === null ? [] : [`${file}:${line} imports ${target}: ${why}`]
  })
}

/** Returns the reason why a file of the web client may not import another, or null if it may. */
function forbiddenInWeb(file: string, { target, isType }: Import): string | null {
  if (target.startsWith('server/'))
    return isType || isShared(target)
      ? null
      : 'the client may import types and rules of the server, but no other values'
  if (!target.startsWith('web/')) return 'the client must not depend on tests, tools and benches'
  const [from, to] = [file, target].map((one) => WEB_LAYERS.indexOf(one.split('/')[1]!)) as [number, number]
  return to <= from ? null : `${WEB_LAYERS[from]} is below ${WEB_LAYERS[to]}`
}

/** Returns the lines of a file of the server that decide by role who may do something, outside of the access files. */
function roleProblems(file: string, text: string): string[] {
  if (!file.startsWith('server/') || isTest(file) || COMPARES_ROLES.some((pattern) => pattern.test(file))) return []
  const imported = /^import \{([^}]*)\} from '[^']*\/role\.ts'/m.exec(text)?.[1] ?? ''
  return text
    .split('\n')
    .flatMap((line, index) =>
      (ROLE_CHECKS.test(imported) && ROLE_CHECKS.test(line)) || ROLE_COMPARISON.test(line)
        ? [`${file}:${index + 1} compares roles, which only access.ts of a feature and server/rules may do`]
        : [],
    )
}

function webProblems(file: string, imports: Import[]): string[] {
  if (!file.startsWith('web/') || isTest(file)) return []
  return imports.flatMap((one) => {
    const why = forbiddenInWeb(file, one)
    return why === null ? [] : [`${file}:${one.line} imports ${one.target}: ${why}`]
  })
}

/** Returns one line for each import that closes a cycle, found by walking from every file in turn. */
function cycleProblems(graph: Map<string, Import[]>): string[] {
  const problems: string[] = []
  const walked = new Set<string>()
  const trail: string[] = []
  const walk = (file: string) => {
    walked.add(file)
    trail.push(file)
    for (const { target } of graph.get(file) ?? []) {
      const start = trail.indexOf(target)
      if (start !== -1) problems.push(`imports in a circle: ${[...trail.slice(start), target].join(' → ')}`)
      else if (!walked.has(target)) walk(target)
    }
    trail.pop()
  }
  for (const file of graph.keys()) if (!walked.has(file)) walk(file)
  return problems
}

/**
 * Returns the problems with the imports between these files and with the roles that they compare, one line each; type
 * imports count like all others.
 */
export function checkImports(sources: Sources): string[] {
  const graph = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]))
  const problems = [...graph].flatMap(([file, imports]) => [
    ...layerProblems(file, imports),
    ...webProblems(file, imports),
  ])
  const roles = [...sources].flatMap(([file, text]) => roleProblems(file, text))
  return [...problems, ...roles, ...cycleProblems(graph)]
}

if (import.meta.main) {
  const problems = checkImports(await readSources(path.dirname(import.meta.dirname)))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    console.error('\nThe layers are explained in ARCHITECTURE.md and listed in tools/check-imports.ts.')
    process.exitCode = 1
  }
}
