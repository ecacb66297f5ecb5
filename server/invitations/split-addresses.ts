import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
/**
 * Returns the addresses in text that a user typed or pasted. Commas and line feeds separate the addresses. In `Ada
 * <ada@example.com>`, the part between the first `<` and the last `>` is the address. Each mailbox is returned once, in
 * its first spelling. Empty parts are ignored.
 */
export function splitAddresses(text: string): string[] {
  const byMailbox = new Map<string, string>()
  for (const piece of text.split(/[,\n]/)) {
    const address = trimWhitespace(bracketed(piece) ?? piece)
    const mailbox = address.toLowerCase()
    if (address !== '' && !byMailbox.has(mailbox)) byMailbox.set(mailbox, address)
  }
  return [...byMailbox.values()]
}

function bracketed(piece: string): string | null {
  const [start, end] = [piece.indexOf('<'), piece.lastIndexOf('>')]
  return start >= 0 && end > start ? piece.slice(start + 1, end) : null
}
