/** Syntax that only the server renders: commands, headings, tables, formulas, spoilers, nested blocks and emoji. */
const UNKNOWN = /^[ \t]*(?:\/(?!me )|#{1,6} |\|)|\$\$|^[ \t]+[*\-\d]|```|^~~~|^>\s*>|:[a-z+_-][\w+-]*:|!\w*\(|<time:/m

const FENCED = /^```([\w+-]*)[ \t]*\n([\s\S]*?)\n```[ \t]*$/m
const BULLET = /^[*-] +/
const NUMBER = /^(\d+)\. +/
const QUOTE = /^> ?/

/**
 * Returns the HTML that the server will probably render, so that a message looks the same before and after it is sent;
 * null for text with syntax that only the server renders. Like all message HTML, it is shown with allowed elements
 * only.
 */
export function echoHtml(text: string): string | null {
  const found = FENCED.exec(text)
  if (found === null) return UNKNOWN.test(text) ? null : blocksOf(text)
  const [whole, language = '', code = ''] = found
  // A block with a keyword is a quote, a spoiler or a formula.
  if (/^(?:quote|spoiler|math|latex|text)$/.test(language)) return null
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + whole.length)].map(echoHtml)
  if (before === null || after === null) return null
  const label = language === '' ? '' : ` data-code-language="${escapeAttribute(language)}"`
  return `${before}<div class="codehilite"${label}><pre><span></span><code>${escapeHtml(code)}\n</code></pre></div>${after}`
}

function blocksOf(text: string): string {
  const blocks = text.split(/\n\s*\n/).flatMap((block) => splitByKind(block.split('\n').filter((line) => line !== '')))
  return blocks.map(({ kind, lines }) => wrapBlock(kind, lines)).join('\n')
}

type Kind = 'text' | 'bullets' | 'numbers' | 'quote'

const kindOf = (line: string): Kind =>
  BULLET.test(line) ? 'bullets' : NUMBER.test(line) ? 'numbers' : QUOTE.test(line) ? 'quote' : 'text'

function splitByKind(lines: readonly string[]): { kind: Kind; lines: string[] }[] {
  const blocks: { kind: Kind; lines: string[] }[] = []
  for (const line of lines) {
    const kind = kindOf(line)
    const last = blocks.at(-1)
    if (last?.kind === kind) last.lines.push(line)
    else blocks.push({ kind, lines: [line] })
  }
  return blocks
}

function wrapBlock(kind: Kind, lines: readonly string[]): string {
  const items = (mark: RegExp) => lines.map((line) => `<li>${inline(line.replace(mark, ''))}</li>`).join('\n')
  const paragraph = (mark: RegExp) => `<p>${lines.map((line) => inline(line.replace(mark, ''))).join('<br>\n')}</p>`
  if (kind === 'bullets') return `<ul>\n${items(BULLET)}\n</ul>`
  if (kind === 'numbers') return `<ol start="${NUMBER.exec(lines[0]!)?.[1]}">\n${items(NUMBER)}\n</ol>`
  return kind === 'quote' ? `<blockquote>\n${paragraph(QUOTE)}\n</blockquote>` : paragraph(/^/)
}

const INLINE =
  /`([^`\n]+)`|@(?:_?)\*\*([^*\n]+)\*\*|#\*\*([^*\n]+)\*\*|\*\*(?=\S)([^\n]+?)\*\*|\*(?=\S)([^*\n]+)\*|~~([^\n]+?)~~|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g

function inline(text: string): string {
  let html = ''
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(end, match.index)) + inlineElement(match)
    end = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(end))
}

function inlineElement([whole, code, person, channel, bold, italic, struck, label, address]: RegExpMatchArray): string {
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`
  if (person !== undefined)
    return `<span class="user-mention silent">@${escapeHtml(person.replace(/\|\d+$/, ''))}</span>`
  if (channel !== undefined) return `<a class="stream">#${escapeHtml(channel)}</a>`
  if (bold !== undefined) return `<strong>${inline(bold)}</strong>`
  if (italic !== undefined) return `<em>${inline(italic)}</em>`
  if (struck !== undefined) return `<del>${inline(struck)}</del>`
  return `<a href="${escapeAttribute(address ?? whole)}">${escapeHtml(label ?? whole)}</a>`
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const escapeAttribute = (text: string): string => escapeHtml(text).replaceAll('"', '&quot;')
