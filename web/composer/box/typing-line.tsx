import type { ReactNode } from 'react'
import type { ConversationRef } from '../../messages/narrow.ts'
import { useTypists } from '../../messages/typists.ts'
import { useMutedIds, usePeople } from '../../store/people.ts'
import { typingText } from '../use-typing-notices.ts'
import * as css from './typing-line.module.css'

/**
 * Shows the names of the users who are typing. The compose box has room for the line above its frame, so that nothing
 * moves when it appears, and no message is covered.
 */
export function TypingLine({ conversation }: { conversation: ConversationRef }): ReactNode {
  const find = usePeople()
  const muted = useMutedIds()
  const names = useTypists(conversation)
    .filter((id) => !muted.has(id))
    .map((id) => find(id)?.full_name)
    .filter((name) => name !== undefined)
  if (names.length === 0) return null
  return (
    <p className={`${css.typingLine} soft`}>
      <span>{typingText(names)}</span>
    </p>
  )
}
