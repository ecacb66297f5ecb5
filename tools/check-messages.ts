import path from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { parseSync } from 'vite'
import { readSources, type Sources } from './source-files.ts'

/** A node of a syntax tree, of which only some members are read. */
type SyntaxNode = { type: string; start: number; [member: string]: unknown }

/** A call of `t` or `rich`. */
type Message = { file: string; line: number; text: string }

/** Props whose text is shown or read aloud. */
const TEXT_PROPS: ReadonlySet<string> = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'description',
  'heading',
  'hint',
  'label',
  'placeholder',
  'text',
  'title',
])

/** Folders with interface text; `store` and `ui` have some, too. */
const HAS_TEXT = /^web\/(?!text\/|api\/)[^/]+\//

/** A file of the server with pages or emails: it renders them, or is named after them. */
const SERVER_TEXT = /(?:page-html|\/emails)\.ts'|\{[^}]*\b(?:t|rich)\b[^}]*\} from '#lib\/text\.ts'/
const SERVER_PAGES = /^server\/http\/page/

/** The API reference, which is in English, like the descriptions of the endpoints and events that it shows. */
const REFERENCE = 'server/site/reference.ts'

/** Properties of pages, fields and emails that a reader sees. */
const SERVER_PROPERTIES: ReadonlySet<string> = new Set([
  'button',
  'footer',
  'heading',
  'hint',
  'label',
  'legend',
  'subject',
  'title',
])

/** Returns whether a string has two letters in a row: `×` and `#` need no translation. */
const hasWords = (text: string) => /\p{L}{2}/u.test(text)

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

function* descendants(node: SyntaxNode): Generator<SyntaxNode> {
  yield node
  for (const member of Object.values(node))
    for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) yield* descendants(child)
}

/** Returns the text of a literal, including templates without values; null for anything else. */
function literalText(node: unknown): string | null {
  if (!isNode(node)) return null
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  const quasis = node.type === 'TemplateLiteral' ? (node['quasis'] as { value: { cooked: string } }[]) : []
  return quasis.length === 1 ? quasis[0]!.value.cooked : null
}

/** Returns the names of values and tags in a message; throws if the message is malformed. */
function namesIn(message: string): Set<string> {
  const names = new Set<string>()
  const visit = (elements: readonly object[]) => {
    for (const element of elements) {
      const { type, value, children, options } = element as {
        type: number
        value: string
        children?: object[]
        options?: Record<string, { value: object[] }>
      }
      // 0 is plain text, 7 is the # of a plural.
      if (type !== 0 && type !== 7) names.add(value)
      visit(children ?? [])
      for (const option of Object.values(options ?? {})) visit(option.value)
    }
  }
  visit(new IntlMessageFormat(message, 'en').getAst())
  return names
}

/** Returns the keys of an object literal; null if the literal does not show all of them. */
function keysOf(node: unknown): Set<string> | null {
  if (node === undefined) return new Set()
  if (!isNode(node) || node.type !== 'ObjectExpression') return null
  const keys = (node['properties'] as SyntaxNode[]).map((property) => {
    const key = property['key']
    return isNode(key) ? ((key['name'] ?? key['value']) as string) : null
  })
  return keys.includes(null) ? null : new Set(keys as string[])
}

function callProblem(call: SyntaxNode): string | null {
  const [first, second] = call['arguments'] as SyntaxNode[]
  const message = literalText(first)
  if (message === null) return 'the message must be a literal, so that translators can be given it'
  const keys = keysOf(second)
  if (keys === null) return 'the values must be an object literal'
  try {
    const odd = [...namesIn(message).symmetricDifference(keys)]
    return odd.length === 0 ? null : `the message and its values differ in ${odd.join(', ')}`
  } catch (error) {
    return `the message is malformed: ${(error as Error).message}`
  }
}

function hardCoded(node: SyntaxNode): string | null {
  if (node.type === 'JSXText' && hasWords(node['value'] as string)) return (node['value'] as string).trim()
  if (node.type !== 'JSXAttribute' || !TEXT_PROPS.has((node['name'] as { name: string }).name)) return null
  const value = node['value']
  const isExpression = isNode(value) && value.type === 'JSXExpressionContainer'
  const text = literalText(isExpression ? value['expression'] : value)
  return text !== null && hasWords(text) ? text : null
}

/** Returns whether a node is a string literal with words, or a template with words. */
function isText(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type === 'ConditionalExpression') return isText(node['consequent']) || isText(node['alternate'])
  if (node.type === 'Literal') return typeof node['value'] === 'string' && hasWords(node['value'])
  if (node.type !== 'TemplateLiteral') return false
  return (node['quasis'] as { value: { cooked: string } }[]).some(({ value }) => hasWords(value.cooked))
}

/** The content of an `html` template that is not text, and elements and attributes that are not translated. */
const MARKUP = /<(code|style|title)\b.*?<\/\1>|<[^>]*>|^ [a-z-]+(?:="[^"]*")?$/gs

/** Attributes of markup that screen readers announce. */
const TEXT_ATTRIBUTES = /\s(?:aria-label|alt|placeholder|title)="([^"$]*\p{L}{2}[^"]*)"/u

/** Returns the text that a template, a property or a block of an email contains without a call of `t` or `rich`. */
function hardCodedInServer(node: SyntaxNode, source: string): string | null {
  const written = (text: SyntaxNode) => source.slice(text.start, text['end'] as number)
  if (node.type === 'TaggedTemplateExpression' && (node['tag'] as { name?: string }).name === 'html') {
    const { quasis } = node['quasi'] as unknown as { quasis: { value: { cooked: string } }[] }
    const markup = quasis.map(({ value }) => value.cooked).join('$')
    const text = markup.replace(MARKUP, ' ').trim()
    return hasWords(text) ? text : (TEXT_ATTRIBUTES.exec(markup)?.[1] ?? null)
  }
  if (node.type !== 'Property') return null
  const key = (node['key'] as { name?: string }).name ?? ''
  const value = node['value'] as SyntaxNode
  if (SERVER_PROPERTIES.has(key)) return isText(value) ? written(value) : null
  const blocks = key === 'blocks' && value.type === 'ArrayExpression' ? (value['elements'] as SyntaxNode[]) : []
  const text = blocks.find(isText)
  return text === undefined ? null : written(text)
}

const isCall = (node: SyntaxNode) =>
  node.type === 'CallExpression' && ['t', 'rich'].includes((node['callee'] as { name?: string }).name ?? '')

/** Returns whether the file has strings that must be messages. */
function hasServerText(file: string, source: string): boolean {
  if (!file.startsWith('server/') || file.startsWith('server/testing/')) return false
  return file !== REFERENCE && (SERVER_PAGES.test(file) || SERVER_TEXT.test(source))
}

/**
 * Returns the messages of the client, the pages and the emails, and the problems with them and with other strings, one
 * line each.
 */
export function checkMessages(sources: Sources): { messages: Message[]; problems: string[] } {
  const messages: Message[] = []
  const problems: string[] = []
  for (const [file, source] of sources) {
    const isServer = hasServerText(file, source)
    if ((!HAS_TEXT.test(file) && !isServer) || file.endsWith('.test.ts')) continue
    for (const node of descendants(parseSync(file, source).program as unknown as SyntaxNode)) {
      const line = () => source.slice(0, node.start).split('\n').length
      if (isCall(node)) {
        const text = literalText((node['arguments'] as SyntaxNode[])[0])
        if (text !== null) messages.push({ file, line: line(), text })
        const problem = callProblem(node)
        if (problem !== null) problems.push(`${file}:${line()}: ${problem}`)
      }
      const text = isServer ? hardCodedInServer(node, source) : hardCoded(node)
      const folder = isServer ? 'server/lib/text.ts' : 'web/text'
      if (text !== null) problems.push(`${file}:${line()}: "${text}" cannot be translated; use t() of ${folder}`)
    }
  }
  return { messages, problems }
}

if (import.meta.main) {
  const { messages, problems } = checkMessages(await readSources(path.dirname(import.meta.dirname)))
  if (process.argv.includes('--list'))
    for (const { file, line, text } of messages) console.log(JSON.stringify({ text, at: `${file}:${line}` }))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
