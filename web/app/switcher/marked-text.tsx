import type { ReactNode } from 'react'
import { plainName } from '../../ui/text/rank.ts'

/** Text in which the match of the query is marked. Ignores case and accents. */
export function MarkedText({ text, query }: { text: string; query: string }): ReactNode {
  const [plain, wanted] = [plainName(text), plainName(query)]
  const at = wanted === '' ? -1 : plain.indexOf(wanted)
  // Positions differ if the text has accents as separate characters.
  if (at < 0 || plain.length !== text.length) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  )
}
