const TOKENS = /<[^>]*>|&[^;\s<]*;|[^\s<&]+|\s+|[<&]/g

/**
 * Returns the new HTML with insertions and deletions highlighted. Only the range between the first and the last
 * difference is highlighted, so that the time is linear in the length of the text.
 */
export function diffHtml(before: string, after: string): string {
  const oldTokens = before.match(TOKENS) ?? []
  const newTokens = after.match(TOKENS) ?? []
  const shorter = Math.min(oldTokens.length, newTokens.length)
  let head = 0
  while (head < shorter && oldTokens[head] === newTokens[head]) head += 1
  let tail = 0
  while (tail < shorter - head && oldTokens[oldTokens.length - 1 - tail] === newTokens[newTokens.length - 1 - tail])
    tail += 1

  const inserted = highlightText(newTokens.slice(head, newTokens.length - tail), 'inserted', true)
  const deleted = highlightText(oldTokens.slice(head, oldTokens.length - tail), 'deleted', false)
  return `<div>${newTokens.slice(0, head).join('')}${inserted}${deleted}${newTokens.slice(newTokens.length - tail).join('')}</div>`
}

/** Highlights each run of text between tags, so that elements stay properly nested. */
function highlightText(tokens: readonly string[], kind: 'inserted' | 'deleted', keepsTags: boolean): string {
  let html = ''
  let text = ''
  const flush = () => {
    if (text.trim() !== '') html += `<span class="highlight_text_${kind}">${text}</span>`
    else html += text
    text = ''
  }
  for (const token of tokens) {
    if (!isTag(token)) {
      text += token
      continue
    }
    flush()
    if (keepsTags) html += token
  }
  flush()
  return html
}

const isTag = (token: string) => token.length > 1 && token.startsWith('<')
