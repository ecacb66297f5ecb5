import path from 'node:path'
import { readSources, type Sources } from './source-files.ts'

const SELECTORS = /\b(?:closest|matches|querySelector(?:All)?)(?:<\w+>)?\(\s*['"`]([^\n]*?)['"`]\s*\)/g
const CLASS_NAMES = /\bclassName(?:=|: | = )(?:"[^"]*"|\{(?:[^{}]|\{[^{}]*\})*\}|[^\n,]*)/g

const camelCase = (name: string) => name.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())
const classesIn = (selector: string) => selector.match(/(?<=(?<!CSS)\.)[a-z_][\w-]*/gi) ?? []
/** Replaces a value in a template by the strings in it. */
const onlyStrings = (_: string, value: string) => (value.match(/(?<=')[^'?:]*(?=')/g) ?? []).join(' ')
const wordsIn = (text: string) =>
  (text.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []).flatMap((string) => string.match(/(?<![\w.-])[a-z][\w-]*/g) ?? [])

/** Returns the classes in a sheet, except in `:global(…)`: those are of a package or of the server. */
function definedIn(css: string): Set<string> {
  const rules = css.replace(/\/\*[\s\S]*?\*\/|:global\([^)]*\)/g, '').match(/[^{};]*\{/g) ?? []
  return new Set(rules.filter((rule) => !/^\s*@/.test(rule)).flatMap(classesIn))
}

/**
 * Returns the problems with the classes of the client, one line each. A class of a CSS module exists only there and is
 * used by the scripts that import the module. A class of another sheet is shared by all scripts and sheets.
 */
export function checkStyles(sources: Sources): string[] {
  const sheets = [...sources].filter(([file]) => /^web\/.*\.css$/.test(file))
  const { true: modules = [], false: rest = [] } = Object.groupBy(sheets, ([file]) => `${/\.module\.css$/.test(file)}`)
  const shared = new Map(rest.flatMap(([file, css]) => [...definedIn(css)].map((name) => [name, file])))
  const owners = new Map<string, string>()
  const used = new Set<string>()
  const problems: string[] = []
  for (const [file, css] of modules)
    for (const name of definedIn(css)) {
      if (owners.has(name)) problems.push(`${file}: .${name} is a class of ${owners.get(name)}`)
      else if (!shared.has(name)) owners.set(name, file)
    }
  for (const [file, text] of [...sources].filter(([file]) => /^web\/.*(?<!\.test)\.tsx?$/.test(file))) {
    for (const [, alias, target] of text.matchAll(/^import \* as (\w+) from '([^']+\.module\.css)'$/gm)) {
      const sheet = path.posix.join(path.posix.dirname(file), target!)
      const names = new Map([...owners].flatMap(([name, owner]) => (owner === sheet ? [[camelCase(name), name]] : [])))
      for (const [access, name] of text.matchAll(new RegExp(`\\b${alias}\\.(\\w+)`, 'g')))
        if (names.has(name!)) used.add(names.get(name!)!)
        else problems.push(`${file}: ${access} is not a class of ${sheet}`)
    }
    for (const word of wordsIn(text)) if (shared.has(word)) used.add(word)
    const values = (text.match(CLASS_NAMES) ?? []).map((value) => value.replace(/[!=]== '[^']*'/g, ''))
    for (const word of values.flatMap((value) => wordsIn(value.replace(/\$\{([^}]*)\}/g, onlyStrings))))
      if (!shared.has(word)) problems.push(`${file}: "${word}" is not a class of a shared sheet`)
    for (const name of [...text.matchAll(SELECTORS)].flatMap((match) => classesIn(match[1]!)))
      if (!shared.has(name) && !owners.has(name)) problems.push(`${file}: .${name} is in no sheet`)
  }
  // The server names the classes of rendered messages.
  const unused = [...owners, ...shared].filter(([name, sheet]) => !used.has(name) && !/\/message-html\//.test(sheet))
  return [...problems, ...unused.map(([name, sheet]) => `${sheet}: .${name} is used nowhere`)]
}

if (import.meta.main) {
  const problems = checkStyles(await readSources(path.dirname(import.meta.dirname), /\.(?:css|tsx?)$/))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
