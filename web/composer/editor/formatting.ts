import { t } from '../../text/t.ts'
/** A replacement of the text between two positions, and the selection after the edit. */
export type Edit = { from: number; to: number; text: string; selected: readonly [start: number, end: number] }

/** Text and the positions of its selection. */
export type Selection = { text: string; start: number; end: number }

export type Format = 'bold' | 'italic' | 'strike' | 'link' | 'list' | 'numbers' | 'quote' | 'code' | 'spoiler' | 'math'

/** Returns the edit that adds a format to the selection, or removes it. */
export function formatEdit(format: Format, selection: Selection): Edit {
  switch (format) {
    case 'bold':
      return wrapped(selection, '**', t('bold text'))
    case 'italic':
      return wrapped(selection, '*', t('italic text'))
    case 'strike':
      return wrapped(selection, '~~', t('strikethrough text'))
    case 'link':
      return linked(selection)
    case 'list':
      return prefixed(selection, '- ')
    case 'numbers':
      return numbered(selection)
    case 'quote':
      return prefixed(selection, '> ')
    case 'code':
      return selectedText(selection).includes('\n') ? fenced(selection, '') : wrapped(selection, '`', 'code')
    case 'spoiler':
      return withoutSpoiler(selection) ?? fenced(selection, `spoiler ${t('Header')}`)
    case 'math':
      return selectedText(selection).includes('\n') ? fenced(selection, 'math') : wrapped(selection, '$$', 'x^2')
  }
}

/**
 * Returns an edit that inserts an emoji: its name between colons, or its character. Spaces separate it from the words
 * around it.
 */
export function emojiEdit(emoji: string, { text, start, end }: Selection): Edit {
  const before = /\S$/.test(text.slice(0, start)) ? ' ' : ''
  const after = /^\s/.test(text.slice(end)) ? '' : ' '
  return insertion(start, end, `${before}${emoji}${after}`)
}

/** Returns an edit that replaces the selection with a snippet. */
export function snippetEdit(content: string, { start, end }: Selection): Edit {
  return insertion(start, end, content)
}

const selectedText = ({ text, start, end }: Selection) => text.slice(start, end)

/**
 * Returns the selection without the white space at its ends, because Markdown recognizes no marks next to white space.
 */
function trimmed({ text, start, end }: Selection): Selection {
  const value = text.slice(start, end)
  const from = start + (value.length - value.trimStart().length)
  return value.trim() === '' ? { text, start, end: start } : { text, start: from, end: from + value.trim().length }
}

function wrapped(selection: Selection, mark: string, placeholder: string): Edit {
  const { text, start, end } = trimmed(selection)
  const value = text.slice(start, end)
  const size = mark.length
  if (isMarked(text.slice(0, start), text.slice(end), mark))
    return { from: start - size, to: end + size, text: value, selected: [start - size, end - size] }
  if (value.length > 2 * size && isMarked(leading(value), trailing(value), mark)) {
    const bare = value.slice(size, -size)
    return { from: start, to: end, text: bare, selected: [start, start + bare.length] }
  }
  const body = value || placeholder
  const from = start + size
  return { from: start, to: end, text: mark + body + mark, selected: [from, from + body.length] }
}

const leading = (value: string) => /^[*`~$]*/.exec(value)?.[0] ?? ''
const trailing = (value: string) => /[*`~$]*$/.exec(value)?.[0] ?? ''

/** Returns true if the mark surrounds the selection. Three asterisks mark text as both bold and italic. */
function isMarked(before: string, after: string, mark: string): boolean {
  const sign = mark[0] as string
  const count = Math.min(countAtEnd(before, sign), countAtEnd([...after].reverse().join(''), sign))
  if (sign !== '*') return count === mark.length
  return mark === '**' ? count >= 2 : count === 1 || count === 3
}

function countAtEnd(text: string, sign: string): number {
  let count = 0
  while (count < 4 && text.at(-1 - count) === sign) count += 1
  return count
}

function linked(selection: Selection): Edit {
  const { text, start, end } = trimmed(selection)
  const value = text.slice(start, end)
  const isAddress = /^(https?:\/\/|mailto:)\S+$/.test(value)
  const [name, address] = isAddress ? ['text', value] : [value || 'text', 'address']
  const from = value === '' || isAddress ? start + 1 : start + name.length + 3
  const chosen = value === '' || isAddress ? name : address
  return { from: start, to: end, text: `[${name}](${address})`, selected: [from, from + chosen.length] }
}

/** Returns the lines that contain any part of the selection. */
function wholeLines({ text, start, end }: Selection): { from: number; to: number; lines: string[] } {
  const from = text.slice(0, start).lastIndexOf('\n') + 1
  const lineEnd = text.indexOf('\n', Math.max(start, end - 1))
  const to = lineEnd === -1 ? text.length : lineEnd
  return { from, to, lines: text.slice(from, to).split('\n') }
}

function prefixed(selection: Selection, prefix: string): Edit {
  const { from, to, lines } = wholeLines(selection)
  const has = lines.every((line) => line.startsWith(prefix))
  const changed = lines.map((line) => (has ? line.slice(prefix.length) : prefix + line)).join('\n')
  const end = from + changed.length
  return { from, to, text: changed, selected: selection.start === selection.end ? [end, end] : [from, end] }
}

function numbered(selection: Selection): Edit {
  const { from, to, lines } = wholeLines(selection)
  const has = lines.every((line) => NUMBER.test(line))
  const changed = lines.map((line, at) => (has ? line.replace(NUMBER, '') : `${at + 1}. ${line}`)).join('\n')
  const end = from + changed.length
  return { from, to, text: changed, selected: selection.start === selection.end ? [end, end] : [from, end] }
}

const NUMBER = /^\d+\. /

/** Returns an edit that replaces a part of the message with text, and puts the cursor after it. */
export function insertion(from: number, to: number, text: string): Edit {
  return { from, to, text, selected: [from + text.length, from + text.length] }
}

/** Returns an edit that turns the selected lines into a block. Its fences are longer than any fence inside. */
function fenced(selection: Selection, info: string): Edit {
  const { from, to, lines } = wholeLines(selection)
  const body = lines.join('\n')
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const start = from + fence.length + info.length + 1
  return { from, to, text: `${fence}${info}\n${body}\n${fence}`, selected: [start, start + body.length] }
}

/** Returns the edit that removes the spoiler around the selected lines; null if they are in none. */
function withoutSpoiler(selection: Selection): Edit | null {
  const { start, end } = selection
  const spoilers = selection.text.matchAll(/^(`{3,}|~{3,})spoiler\b.*\n(?:([\s\S]*?)\n)?\1$/gm)
  const found = [...spoilers].find(({ index, 0: block }) => index <= start && end <= index + block.length)
  if (found === undefined) return null
  const { index: from, 0: block, 2: body = '' } = found
  return { from, to: from + block.length, text: body, selected: [from, from + body.length] }
}
