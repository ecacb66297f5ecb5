import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { languageAliases } from './languages.ts'

/** The highlighter's names for languages that have no matching alias. */
const OTHERS: Readonly<Record<string, string>> = {
  html: 'xml',
  svg: 'xml',
  xhtml: 'xml',
  tex: 'latex',
  sh: 'bash',
  zsh: 'bash',
  node: 'javascript',
  jsx: 'javascript',
  tsx: 'typescript',
  toml: 'ini',
  bat: 'dos',
  'objective-c': 'objectivec',
  docker: 'dockerfile',
  console: 'shell',
  make: 'makefile',
  postgresql: 'pgsql',
  mysql: 'sql',
  lisp: 'lisp',
  'common-lisp': 'lisp',
  elisp: 'lisp',
  'vb.net': 'vbnet',
  jproperties: 'properties',
  'css+php': 'php',
  'html+php': 'php',
  'javascript+php': 'php',
  'xml+php': 'php',
}

let folder: string | undefined

/** Returns the highlighter's name for a language; null if it does not support the language. */
export function highlighterLanguage(typed: string): string | null {
  for (const alias of languageAliases(typed)) {
    const name = OTHERS[alias] ?? alias
    if (isThere(name)) return name
  }
  return null
}

function isThere(name: string): boolean {
  if (!/^[\w-]+$/.test(name)) return false
  folder ??= path.dirname(createRequire(import.meta.url).resolve('highlight.js/lib/languages/xml'))
  return existsSync(path.join(folder, `${name}.js`))
}
