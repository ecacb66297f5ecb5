import { useQuery } from '@tanstack/react-query'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import type { ReactNode } from 'react'
import { readStored } from '../../../store/browser/stored-state.ts'
import { findMessage } from '../../../store/messages/messages.ts'
import { conversationOf } from '../../../store/messages/narrow.ts'
import { useOwnId } from '../../../store/organization.ts'
import { requestComposeOnNextPage } from '../../../store/page/compose-request.ts'
import { continueEditOnNextPage } from '../../../store/page/edit-request.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { Badge } from '../../../ui/text/badge.tsx'
import { editName } from '../../message/unsaved-edit.tsx'
import { fetchMessage } from '../conversation-menus/change-topic.ts'
import { UnsentRow } from './unsent-row.tsx'
import { useDestinationTitle } from './use-destination-title.ts'

/**
 * An edit of a message that is not saved. It links to the message, and continues there. If the message cannot be read
 * any more, its text becomes a new message.
 */
export function EditRow({ messageId, onDiscard }: { messageId: number; onDiscard: () => void }): ReactNode {
  const ownId = useOwnId()
  const titleOf = useDestinationTitle()
  const { data, isPending } = useQuery({
    queryKey: ['edited-message', messageId],
    queryFn: () => fetchMessage(messageId),
    initialData: () => findMessage(messageId),
    gcTime: 0,
  })
  const { text } = readStored<{ text: string | null }>(ownId, editName(messageId))
  if (isPending || typeof text !== 'string') return null
  const narrow = data === undefined ? null : conversationOf(data, ownId)
  const title = titleOf(narrow ?? { people: [] })

  function open(isElsewhere: boolean) {
    if (isElsewhere || typeof text !== 'string') return
    if (narrow === null) requestComposeOnNextPage({ text, conversation: { people: [] } })
    else continueEditOnNextPage(messageId, [text.length, text.length])
  }

  return (
    <UnsentRow
      id={editName(messageId)}
      narrow={narrow}
      near={messageId}
      onOpen={open}
      title={title}
      text={text}
      about={
        <span>
          <Badge icon={<Pencil className="icon" aria-hidden="true" />}>{t('Unsaved edit')}</Badge>
        </span>
      }
    >
      <Button
        kind="quiet"
        aria-label={t('Discard edit: {title}', { title })}
        icon={<Trash2 className="icon" aria-hidden="true" />}
        onPress={onDiscard}
      />
    </UnsentRow>
  )
}
