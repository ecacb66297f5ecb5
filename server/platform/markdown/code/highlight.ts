import { createRequire } from 'node:module'
import highlighter from 'highlight.js/lib/core'
import { element, fromCode, joinMarkup, type Markup, nothing } from '../markup.ts'
import { highlighterLanguage } from './highlighter-languages.ts'
import { classOf, PLAIN_LANGUAGES, splitPlain } from './pygments-classes.ts'

const load = createRequire(import.meta.url)

/** A stretch of code, and the class that the whole of it has; '' for none. */
type Stretch = { text: string; className: string }

/** Characters of a word, a gap or a line: the highlighter takes time in proportion to their squares. */
const MAX_RUN_LENGTH = 1000
const MAX_LINE_LENGTH = 4000

/**
 * Code with flat spans of Pygments' classes, which is what clients know; null when the language is not known, or the code
 * is not made of words and lines. Without a language the first line may name one, as scripts do.
 */
export function highlight(source: string, language: string): Markup | null {
  const known = language === '' ? scriptLanguage(source) : highlighterLanguage(language)
  if (known === null || isUnbroken(source)) return null
  const [first = ''] = source.split('\n', 1)
  const script = /^#!/.test(first) ? first : ''
  const stretches = [{ text: script, className: 'ch' }, ...stretchesOf(source.slice(script.length), known)]
  return merged(stretches).reduce((html, stretch) => joinMarkup(html, toMarkup(stretch)), nothing)
}

function isUnbroken(source: string): boolean {
  const runs = source.match(/[\w$.-]+|\s+/g) ?? []
  return (
    runs.some((run) => run.length > MAX_RUN_LENGTH) || source.split('\n').some((line) => line.length > MAX_LINE_LENGTH)
  )
}

function stretchesOf(source: string, language: string): Stretch[] {
  if (highlighter.getLanguage(language) === undefined) {
    highlighter.registerLanguage(language, load(`highlight.js/lib/languages/${language}`))
  }
  const { value } = highlighter.highlight(source, { language, ignoreIllegals: true })
  /** The innermost scope with a class, for each scope that is open: code nests as deep as it is long. */
  const scopes: string[] = []
  return value.split(/(<[^>]*>)/).flatMap((part): Stretch[] => {
    const opened = /^<span class="([^"]*)">$/.exec(part)?.[1]
    if (opened !== undefined) scopes.push(classOf(opened, '', language) === '' ? (scopes.at(-1) ?? '') : opened)
    else if (part === '</span>') scopes.pop()
    else return coloured(unescapeHtml(part), scopes.at(-1) ?? '', language)
    return []
  })
}

function coloured(text: string, scope: string, language: string): Stretch[] {
  if (scope !== '') return [{ text, className: classOf(scope, text, language) }]
  return PLAIN_LANGUAGES.has(language) ? [{ text, className: '' }] : splitPlain(text, language)
}

/** Neighbours of one class become one. */
function merged(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = []
  for (const { text, className } of stretches) {
    if (text === '') continue
    const last = result.at(-1)
    if (last?.className === className) last.text += text
    else result.push({ text, className })
  }
  return result
}

function toMarkup({ text, className }: Stretch): Markup {
  const html = fromCode(text).replaceAll('"', '&quot;') as Markup
  return className === '' ? html : element('span', { class: className }, html)
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

const unescapeHtml = (html: string) => html.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => ENTITIES[name] ?? '')

/** Characters that the first line of a script may have. */
const MAX_SCRIPT_LINE_LENGTH = 200

/** The language of a script by its first line: `#!/usr/bin/env python3`. */
function scriptLanguage(source: string): string | null {
  const [first = ''] = source.split('\n', 1)
  if (first.length > MAX_SCRIPT_LINE_LENGTH) return null
  const program = /^#!\s*(?:\S*\/)?(?:env\s+)?(\w+?)[\d.]*\s*$/.exec(first)?.[1]
  return program === undefined ? null : highlighterLanguage(program)
}
