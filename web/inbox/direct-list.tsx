import { useSelector } from '@tanstack/react-store'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { Composer } from '../composer/composer.tsx'
import { RowMenus } from '../conversation/row-menus.tsx'
import * as conversationRowCss from '../message-view/conversation-row.module.css'
import { ConversationRow } from '../message-view/conversation-row.tsx'
import { directConversations } from '../messages/conversations.ts'
import { usePreviews } from '../messages/previews.ts'
import { CHATS, PageFrame } from '../navigation/page.tsx'
import { useOrganizationPart } from '../store/organization.ts'
import { t } from '../text/t.ts'
import * as css from './direct-list.module.css'
import { MarkAsRead, useListKeys } from './list/list-keys.tsx'

const NEW = { kind: 'any', isNew: true } as const

/** A new message, whose recipients are chosen first, and the list of the user's direct message conversations. */
export function DirectList(): ReactNode {
  const realmName = useOrganizationPart(({ realm_name }) => realm_name)
  return (
    <PageFrame
      title={t('New message')}
      within={realmName}
      icon={<SquarePen className="icon" aria-hidden="true" />}
      back={CHATS}
    >
      <div className={css.directList}>
        <Composer page={NEW} />
        <KnownConversations />
      </div>
    </PageFrame>
  )
}

function KnownConversations(): ReactNode {
  const known = useSelector(directConversations)
  const find = usePreviews(known.map(({ latestId }) => latestId))
  const keys = useListKeys<HTMLUListElement>()
  if (known.length === 0) return null
  return (
    <section aria-labelledby="known-conversations">
      <h2 id="known-conversations">{t('Direct messages')}</h2>
      <RowMenus>
        <ul className={conversationRowCss.conversationList} {...keys}>
          {known.map(({ people, latestId }) => (
            <ConversationRow
              key={String(people)}
              conversation={{ kind: 'direct', people }}
              message={find(latestId)}
              action={<MarkAsRead conversation={{ kind: 'direct', people }} />}
            />
          ))}
        </ul>
      </RowMenus>
    </section>
  )
}
