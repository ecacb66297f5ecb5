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

/** Folders with interface text; `store` and `ui` have some of their own. */
const HAS_TEXT = /^web\/(?:app|store|ui|views)\//

/** Two letters, or one that is a word of its own: `×` and `#` need no translation. */
const hasWords = (text: string) => /\p{L}{2}/u.test(text)

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

function* descendants(node: SyntaxNode): Generator<SyntaxNode> {
  yield node
  for (const member of Object.values(node))
    for (const child of Array.isArray(member) ? member : [member]) if (isNode(child)) yield* descendants(child)
}

/** Returns the text of a literal, also of a template without values; null for anything else. */
function literalText(node: unknown): string | null {
  if (!isNode(node)) return null
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null
  const quasis = node.type === 'TemplateLiteral' ? (node['quasis'] as { value: { cooked: string } }[]) : []
  return quasis.length === 1 ? quasis[0]!.value.cooked : null
}

/** Returns the names of values and tags in a message; throws where the message is malformed. */
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

/** Returns the keys of an object literal; null where they are not all in sight. */
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

const isCall = (node: SyntaxNode) =>
  node.type === 'CallExpression' && ['t', 'rich'].includes((node['callee'] as { name?: string }).name ?? '')

/** Returns the messages of the web client, and what is wrong with them or with other interface text, one line each. */
export function checkMessages(sources: Sources): { messages: Message[]; problems: string[] } {
  const messages: Message[] = []
  const problems: string[] = []
  for (const [file, source] of sources) {
    if (!HAS_TEXT.test(file) || file.endsWith('.test.ts')) continue
    for (const node of descendants(parseSync(file, source).program as unknown as SyntaxNode)) {
      const line = () => source.slice(0, node.start).split('\n').length
      if (isCall(node)) {
        const text = literalText((node['arguments'] as SyntaxNode[])[0])
        if (text !== null) messages.push({ file, line: line(), text })
        const problem = callProblem(node)
        if (problem !== null) problems.push(`${file}:${line()}: ${problem}`)
      }
      const text = hardCoded(node)
      if (text !== null) problems.push(`${file}:${line()}: "${text}" cannot be translated; use t() of web/text`)
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
