import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import highlighter from 'highlight.js/lib/core'
import { element, fromCode, joinMarkup, type Markup, nothing } from '../markup.ts'
import { languageAliases } from './languages.ts'
import { classOf, PLAIN_LANGUAGES, splitPlain } from './pygments-classes.ts'

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
function highlighterLanguage(typed: string): string | null {
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

const load = createRequire(import.meta.url)

/** A run of code with a single class. `className` is '' if the run has no class. */
type Token = { text: string; className: string }

/** The maximum lengths of a word or gap and of a line, in characters. The highlighter takes quadratic time in them. */
const MAX_RUN_LENGTH = 1000
const MAX_LINE_LENGTH = 4000

/**
 * Returns code in spans without nesting. They have the classes of Pygments, because clients know these. Returns null if
 * the language is unknown, or if a word or line is too long. Without a language, the first line may name one, as in
 * scripts.
 */
export function highlight(source: string, language: string): Markup | null {
  const known = language === '' ? scriptLanguage(source) : highlighterLanguage(language)
  if (known === null || isUnbroken(source)) return null
  const [first = ''] = source.split('\n', 1)
  const script = /^#!/.test(first) ? first : ''
  const tokens = [{ text: script, className: 'ch' }, ...tokensOf(source.slice(script.length), known)]
  return merged(tokens).reduce((html, token) => joinMarkup(html, toMarkup(token)), nothing)
}

function isUnbroken(source: string): boolean {
  const runs = source.match(/[\w$.-]+|\s+/g) ?? []
  return (
    runs.some((run) => run.length > MAX_RUN_LENGTH) || source.split('\n').some((line) => line.length > MAX_LINE_LENGTH)
  )
}

function tokensOf(source: string, language: string): Token[] {
  if (highlighter.getLanguage(language) === undefined) {
    highlighter.registerLanguage(language, load(`highlight.js/lib/languages/${language}`))
  }
  const { value } = highlighter.highlight(source, { language, ignoreIllegals: true })
  /** The innermost scope with a class, for each open scope. The nesting is limited only by the length of the code. */
  const scopes: string[] = []
  return value.split(/(<[^>]*>)/).flatMap((part): Token[] => {
    const opened = /^<span class="([^"]*)">$/.exec(part)?.[1]
    if (opened !== undefined) scopes.push(classOf(opened, '', language) === '' ? (scopes.at(-1) ?? '') : opened)
    else if (part === '</span>') scopes.pop()
    else return colored(unescapeHtml(part), scopes.at(-1) ?? '', language)
    return []
  })
}

function colored(text: string, scope: string, language: string): Token[] {
  if (scope !== '') return [{ text, className: classOf(scope, text, language) }]
  return PLAIN_LANGUAGES.has(language) ? [{ text, className: '' }] : splitPlain(text, language)
}

/** Merges adjacent runs of the same class. */
function merged(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  for (const { text, className } of tokens) {
    if (text === '') continue
    const last = result.at(-1)
    if (last?.className === className) last.text += text
    else result.push({ text, className })
  }
  return result
}

function toMarkup({ text, className }: Token): Markup {
  const html = fromCode(text).replaceAll('"', '&quot;') as Markup
  return className === '' ? html : element('span', { class: className }, html)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

const unescapeHtml = (html: string) => html.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => ENTITIES[name] ?? '')

/** The maximum length of the first line of a script, in characters. */
const MAX_SCRIPT_LINE_LENGTH = 200

/** Returns the language that the first line of a script names: `#!/usr/bin/env python3`. */
function scriptLanguage(source: string): string | null {
  const [first = ''] = source.split('\n', 1)
  if (first.length > MAX_SCRIPT_LINE_LENGTH) return null
  const program = /^#!\s*(?:\S*\/)?(?:env\s+)?(\w+?)[\d.]*\s*$/.exec(first)?.[1]
  return program === undefined ? null : highlighterLanguage(program)
}
