import { useNavigate } from '@tanstack/react-router'
import MessageCirclePlus from 'lucide-react/icons/message-circle-plus'
import { type FormEvent, type ReactNode, useState } from 'react'
import { directConversations } from '../../store/messages/direct-conversations.ts'
import { toParticipants } from '../../store/messages/narrow.ts'
import { usePreviews } from '../../store/messages/previews.ts'
import { useOrganization } from '../../store/organization.ts'
import { messageablePeople, usePeople } from '../../store/people/people.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { ComboField } from '../../ui/fields/combo-field.tsx'
import { PickedTags } from '../../ui/fields/picked-tags.tsx'
import { ConversationRow } from './list/conversation-row.tsx'
import { MarkAsRead } from './list/mark-as-read.tsx'
import { useListKeys } from './list/use-list-keys.ts'
import { ListPage } from './list-page.tsx'
import './direct-list.css'
import { t } from '../../text/t.ts'
import { RowMenus } from './sidebar/row-menu.tsx'
import { toLocation } from './to-location.ts'

/** The list of the user's direct message conversations, with a button to start a new one. */
export function DirectList(): ReactNode {
  const { realm_name } = useOrganization()
  return (
    <ListPage
      title={t('Direct messages')}
      within={realm_name}
      icon={<MessageCirclePlus className="icon" aria-hidden="true" />}
      about={t('Private conversations with one or more people.')}
    >
      <div className="direct-list">
        <NewConversation />
        <KnownConversations />
      </div>
    </ListPage>
  )
}

function NewConversation(): ReactNode {
  const organization = useOrganization()
  const find = usePeople()
  const navigate = useNavigate()
  const [picked, pick] = useState<readonly number[]>([])
  const [error, setError] = useState<string | null>(null)
  const options = messageablePeople(organization)
    .filter(({ user_id }) => !picked.includes(user_id))
    .map(({ user_id, full_name, delivery_email }) => ({
      id: user_id,
      label: user_id === organization.user_id ? t('{name} (you)', { name: full_name }) : full_name,
      ...(delivery_email && { hint: delivery_email }),
    }))

  function open(event: FormEvent) {
    event.preventDefault()
    if (picked.length === 0) setError(t('Choose at least one person.'))
    else void navigate(toLocation({ kind: 'direct', people: toParticipants(picked, organization.user_id) }))
  }

  return (
    <form className="direct-new" aria-label={t('New direct message')} onSubmit={open} noValidate>
      {picked.length > 0 && (
        <PickedTags
          label={t('To')}
          tags={picked.map((id) => ({ id, label: find(id)?.full_name ?? t('Unknown user') }))}
          onRemove={(gone) => pick(picked.filter((id) => !gone.has(id)))}
        />
      )}
      <ComboField
        key={options.length}
        label={t('Recipients')}
        value={null}
        options={options}
        placeholder={t('Enter a name')}
        description={t('Add several people to start a group conversation.')}
        onChoose={(id) => {
          pick([...picked, id])
          setError(null)
        }}
      />
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <Button type="submit" kind="primary" icon={<MessageCirclePlus className="icon" aria-hidden="true" />}>
        {t('Start conversation')}
      </Button>
    </form>
  )
}

function KnownConversations(): ReactNode {
  const known = directConversations.use()
  const find = usePreviews(known.map(({ latestId }) => latestId))
  const keys = useListKeys<HTMLUListElement>()
  if (known.length === 0) return <p className="soft">{t('No conversations yet. Choose someone to start one.')}</p>
  return (
    <section aria-labelledby="known-conversations">
      <h2 id="known-conversations">{t('Your conversations')}</h2>
      <RowMenus>
        <ul className="conversation-list" {...keys}>
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
