import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Paperclip from 'lucide-react/icons/paperclip'
import Pencil from 'lucide-react/icons/pencil'
import Trash2 from 'lucide-react/icons/trash-2'
import type { MouseEvent, ReactNode } from 'react'
import { continueEditOnNextPage, requestComposeOnNextPage } from '../../browser/compose-requests.ts'
import { splitAttachments } from '../../composer/attachments.ts'
import { useDestinationTitle } from '../../composer/destination-name.ts'
import { editName, unsavedText } from '../../conversation/unsaved-edit.tsx'
import { fetchMessage } from '../../messages/message-source.ts'
import { findMessage } from '../../messages/messages.ts'
import { conversationOf, type Narrow } from '../../messages/narrow.ts'
import { toLocation } from '../../navigation/narrow-location.ts'
import { useOrganizationPart, useOwnId } from '../../store/organization.ts'
import { discardStored } from '../../store/stored-state.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import * as chipsCss from '../../ui/chips.module.css'
import * as css from './unsent.module.css'

/**
 * An unsent message with its destination and the beginning of its text. It links to `narrow`; without one, to the page
 * `elsewhere`, which starts messages if omitted.
 */
export function UnsentRow(props: {
  id: string
  narrow: Narrow | null
  elsewhere?: '/dm' | '/scheduled'
  /** A message to show in the narrow. */
  near?: number
  /** Called before the page opens. `isElsewhere` is true if it opens in another tab or window. */
  onOpen?: (isElsewhere: boolean) => void
  title: string
  text: string
  about?: ReactNode
  children: ReactNode
}): ReactNode {
  const { id, narrow, elsewhere = '/dm', near, onOpen, title, text, about, children } = props
  const { body, attachments } = splitAttachments(text)
  return (
    <li className={`card ${css.unsentRow}`} data-unsent={id}>
      <Link
        {...(narrow === null ? { to: elsewhere } : toLocation(narrow, near))}
        className={css.unsentLink}
        onClick={(event) => onOpen?.(hasModifier(event))}
      >
        <b>{title}</b>
        {about}
        <span className={css.unsentText} dir="auto">
          {body}
        </span>
        {attachments.length > 0 && (
          <span className={`${css.unsentFiles} small soft`}>
            <Paperclip className="icon" aria-hidden="true" />
            {attachments.map((one) => one.name).join(', ')}
          </span>
        )}
      </Link>
      <span className={css.unsentTools}>{children}</span>
    </li>
  )
}

const hasModifier = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) => ctrlKey || metaKey || shiftKey || altKey

/**
 * Moves the focus from a row that is about to be removed to the row after it, or else to the row before it or to the
 * page.
 */
export function focusNextRow(list: HTMLElement | null, id: string): void {
  const row = list?.querySelector(`[data-unsent="${CSS.escape(id)}"]`)
  const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('a')
  ;(next ?? list?.closest('main'))?.focus()
}

/** Links to the drafts, and to the scheduled messages and reminders. */
export function UnsentTabs(): ReactNode {
  const count = useOrganizationPart(({ scheduled_messages, reminders }) => scheduled_messages.length + reminders.length)
  return (
    <nav className={chipsCss.chips} aria-label={t('Drafts and scheduled')}>
      <Link to="/drafts" className={chipsCss.chip}>
        {t('Drafts')}
      </Link>
      <Link to="/scheduled" className={chipsCss.chip}>
        {t('Scheduled')} {count > 0 && count}
      </Link>
    </nav>
  )
}

/**
 * An edit of a message that is not saved. It links to the message, and continues there. If the message can no longer
 * be read, its text becomes a new message.
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
  const text = unsavedText(ownId, messageId)
  if (isPending || text === null) return null
  const narrow = data === undefined ? null : conversationOf(data, ownId)
  const title = titleOf(narrow ?? { people: [] })

  function open(isElsewhere: boolean) {
    if (isElsewhere || text === null) return
    if (narrow === null) {
      discardStored(ownId, editName(messageId))
      requestComposeOnNextPage({ text, conversation: { people: [] } })
    } else continueEditOnNextPage(messageId, [text.length, text.length])
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
