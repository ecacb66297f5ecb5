/** Returns the selected text of the element; null if nothing or something outside is selected. */
export function selectedText(element: Element | null): string | null {
  const selection = getSelection()
  if (element === null || selection === null || selection.isCollapsed) return null
  const isInside = element.contains(selection.anchorNode) && element.contains(selection.focusNode)
  return isInside ? selection.toString().trim() || null : null
}
