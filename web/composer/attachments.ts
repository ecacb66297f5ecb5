/** An uploaded file at the end of a message: the text and address of its link. */
export type Attachment = { readonly name: string; readonly url: string }

const LINK = /^\[([^[\]\n]+)\]\((\/user_uploads\/[^\s()]+)\)$/

/** Separates a message's text from the lines at its end that consist of a link to an uploaded file. */
export function splitAttachments(text: string): { body: string; attachments: readonly Attachment[] } {
  const lines = text.split('\n')
  let start = lines.length
  while (start > 0 && LINK.test(lines[start - 1]!)) start -= 1
  const attachments = lines.slice(start).map((line) => {
    const [, name, url] = LINK.exec(line)!
    return { name: name!, url: url! }
  })
  return { body: lines.slice(0, start).join('\n'), attachments }
}

/** Returns the Markdown of a text with attachments, as all clients understand it. */
export function joinAttachments(body: string, attachments: readonly Attachment[]): string {
  const lines = attachments.map(({ name, url }) => `[${name}](${url})`)
  return [...(body === '' && lines.length > 0 ? [] : [body]), ...lines].join('\n')
}

/** Returns the attachment for an uploaded file. Its name contains no characters that end a link. */
export const toAttachment = (name: string, url: string): Attachment => ({
  name: name.replaceAll(/[[\]\\\n]/g, '') || 'file',
  url,
})

/** Returns the list with one entry at another position. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, at) => at !== from)
  return rest.toSpliced(to, 0, items[from]!)
}
