import { trimWhitespace } from '../platform/encoding/trim-whitespace.ts'
/**
 * The addresses in what somebody typed or pasted: pieces between commas and line feeds, of each the part between its
 * first `<` and its last `>` where it has them. One for each mailbox, spelled as at first; empty pieces do not count.
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
