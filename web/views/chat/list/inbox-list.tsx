import Check from 'lucide-react/icons/check'
import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReactNode } from 'react'
import { setFolded, useLayout } from '../../../store/browser/layout.ts'
import { type FindMessage, usePreviews } from '../../../store/messages/previews.ts'
import { conversationKey } from '../../../store/messages/unread.ts'
import { t } from '../../../text/t.ts'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { ChannelIcon } from '../../channel/channel-icon.tsx'
import { markAsRead } from '../conversation-menus/mark-read.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { RowMenus } from '../sidebar/row-menu.tsx'
import { ConversationRow } from './conversation-row.tsx'
import './inbox.css'
import type { InboxSection } from './inbox-sections.ts'
import { MarkAsRead } from './mark-as-read.tsx'
import { useListKeys } from './use-list-keys.ts'

/** The unread conversations of the inbox, in sections that can be folded. */
export function InboxList(props: {
  sections: readonly InboxSection[]
  /** True while the list is filtered. All sections are then unfolded. */
  isFiltered: boolean
}): ReactNode {
  const { sections, isFiltered } = props
  const find = usePreviews(sections.flatMap(({ conversations }) => conversations.map(({ ids }) => ids.at(-1) ?? 0)))
  const { folded } = useLayout()
  const keys = useListKeys<HTMLDivElement>()
  return (
    <RowMenus>
      <div className="inbox" {...keys}>
        {sections.map((section) => {
          const id = `inbox-${section.channel?.stream_id ?? 'direct'}`
          return (
            <Section key={id} id={id} section={section} find={find} isFolded={!isFiltered && folded[id] === true} />
          )
        })}
      </div>
    </RowMenus>
  )
}

function Section(props: { id: string; section: InboxSection; find: FindMessage; isFolded: boolean }): ReactNode {
  const { id, section, find, isFolded } = props
  const { channel, conversations } = section
  const name = channel?.name ?? t('Direct messages')
  const ids = conversations.flatMap((one) => one.ids)
  return (
    <section aria-labelledby={id}>
      <header className="inbox-head">
        <span>
          <button
            type="button"
            className="inbox-fold"
            aria-expanded={!isFolded}
            aria-label={t('Conversations in {name}', { name })}
            onClick={() => setFolded(id, !isFolded)}
          >
            <ChevronRight className="icon flips" aria-hidden="true" />
          </button>
        </span>
        <h2 id={id}>
          {channel === null ? (
            name
          ) : (
            <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
              <ChannelIcon channel={channel} />
              {name}
            </NarrowLink>
          )}
        </h2>
        <span className="inbox-mark">
          <IconButton label={t('Mark {name} as read', { name })} icon={Check} onPress={() => void markAsRead(ids)} />
        </span>
        <span aria-hidden="true">{ids.length}</span>
      </header>
      {!isFolded && (
        <ul className="conversation-list">
          {conversations.map((one) => (
            <ConversationRow
              key={conversationKey(one.conversation)}
              conversation={one.conversation}
              message={find(one.ids.at(-1) ?? 0)}
              action={<MarkAsRead conversation={one.conversation} />}
            />
          ))}
        </ul>
      )}
    </section>
  )
}
