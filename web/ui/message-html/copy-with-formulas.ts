const BLOCKS = new Set(['P', 'DIV', 'LI', 'BLOCKQUOTE', 'PRE', 'TR', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'BR'])

/** Returns the selected text with the source of each formula in it; null if the selection has no formula. */
export function copyWithFormulas(selection: Selection | null): string | null {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const selected = selection.getRangeAt(0).cloneContents()
  if (selected.querySelector('.formula') === null) return null
  return plainText(selected)
    .replace(/\n{2,}/g, '\n')
    .trim()
}

function plainText(node: Node): string {
  if (node instanceof Text) return node.data
  if (node instanceof Element && node.classList.contains('formula')) {
    return `$$${node.querySelector('annotation')?.textContent?.trim() ?? node.textContent}$$`
  }
  const text = [...node.childNodes].map(plainText).join('')
  return BLOCKS.has(node.nodeName) ? `${text}\n` : text
}
