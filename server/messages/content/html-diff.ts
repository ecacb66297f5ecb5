const PIECES = /<[^>]*>|&[^;\s<]*;|[^\s<&]+|\s+|[<&]/g

/**
 * What changed between two renderings, as HTML: the new one, with what is new in it and what is gone marked. Only the
 * stretch between the first and the last difference is marked, so it takes time in proportion to the text.
 */
export function diffHtml(before: string, after: string): string {
  const old = before.match(PIECES) ?? []
  const now = after.match(PIECES) ?? []
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1

  const inserted = mark(now.slice(head, now.length - tail), 'inserted', true)
  const deleted = mark(old.slice(head, old.length - tail), 'deleted', false)
  return `<div>${now.slice(0, head).join('')}${inserted}${deleted}${now.slice(now.length - tail).join('')}</div>`
}

/** Wraps each run of text between tags, so that elements stay well nested. */
function mark(pieces: readonly string[], kind: 'inserted' | 'deleted', keepsTags: boolean): string {
  let html = ''
  let text = ''
  const flush = () => {
    if (text.trim() !== '') html += `<span class="highlight_text_${kind}">${text}</span>`
    else html += text
    text = ''
  }
  for (const piece of pieces) {
    if (!isTag(piece)) {
      text += piece
      continue
    }
    flush()
    if (keepsTags) html += piece
  }
  flush()
  return html
}

const isTag = (piece: string) => piece.length > 1 && piece.startsWith('<')
