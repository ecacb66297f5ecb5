import type { ReactNode } from 'react'
import type { Spot } from '../../store/messages/narrow.ts'
import { useTypists } from '../../store/messages/typists.ts'
import { useMutedIds } from '../../store/people/muted.ts'
import { usePeople } from '../../store/people/people.ts'
import './typing-line.css'
import { typingWords } from './typing-words.ts'

/** Who types where one reads. It lies over the messages, so nothing moves when somebody begins. */
export function TypingLine({ spot }: { spot: Spot }): ReactNode {
  const find = usePeople()
  const muted = useMutedIds()
  const names = useTypists(spot)
    .filter((id) => !muted.has(id))
    .map((id) => find(id)?.full_name)
    .filter((name) => name !== undefined)
  if (names.length === 0) return null
  return (
    <p className="typing-line soft small">
      <span>{typingWords(names)}</span>
    </p>
  )
}
