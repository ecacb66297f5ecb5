/** The kinds of widgets that a command at the start of a message creates. */
export type WidgetKind = 'poll' | 'todo'

/** The title of a poll or to-do list, and its options or tasks. */
export type WidgetDraft = { readonly title: string; readonly items: readonly string[] }

/** Returns the message that creates a poll or to-do list. */
export const widgetText = (kind: WidgetKind, { title, items }: WidgetDraft): string =>
  [`/${kind} ${title.trim()}`, ...items.map((item) => item.trim()).filter((item) => item !== '')].join('\n')

/**
 * Returns the poll or to-do list that the text contains: the text after the command, or else a single line as the
 * title. Returns null for other text.
 */
export function readWidgetText(kind: WidgetKind, text: string): WidgetDraft | null {
  const [first = '', ...items] = text.trim().split('\n')
  const command = new RegExp(`^/${kind}(?:\\s+(.*))?$`).exec(first)
  if (command !== null) return { title: command[1] ?? '', items: items.filter((item) => item.trim() !== '') }
  return items.length === 0 && !first.startsWith('/') ? { title: first, items: [] } : null
}
