import { useParams } from '@tanstack/react-router'
import EyeOff from 'lucide-react/icons/eye-off'
import type { ReactNode } from 'react'
import { Composer } from '../composer/composer.tsx'
import { toParticipants } from '../messages/narrow.ts'
import { readPeople } from '../navigation/narrow-location.ts'
import { ChatLayout } from '../navigation/page.tsx'
import { PersonButton } from '../people/cards.tsx'
import { DirectAbout, DirectIcon } from '../people/person-icon.tsx'
import { useOrganization } from '../store/organization.ts'
import { useConversationName, usePeople } from '../store/people.ts'
import { useIsUnfetched } from '../store/people-on-demand.ts'
import { t } from '../text/t.ts'
import { Empty, Loading, TalkDrawing } from '../ui/page-states.tsx'
import { SearchDirect } from './menus/header-buttons.tsx'
import { MessagesPage } from './messages-page.tsx'

/** The direct message conversation with the users in the URL. */
export function Direct(): ReactNode {
  const { people: text } = useParams({ from: '/dm/$people' })
  const { user_id } = useOrganization('user_id')
  const find = usePeople()
  const named = readPeople(text)
  const missing = named?.filter((id) => find(id) === undefined) ?? []
  const isUnfetched = useIsUnfetched(missing[0] ?? 0)
  const people = named !== null && missing.length === 0 ? toParticipants(named, user_id) : null
  return (
    <ChatLayout>
      {people !== null ? (
        <DirectPage people={people} />
      ) : isUnfetched ? (
        <Loading label={t('Loading people')} lines={6} />
      ) : (
        <Nobody />
      )}
    </ChatLayout>
  )
}

function Nobody(): ReactNode {
  return (
    <Empty icon={<EyeOff />} isPage title={t('Conversation unavailable')}>
      <p>{t('It includes a user who doesn’t exist or is hidden from you.')}</p>
    </Empty>
  )
}

function DirectPage({ people }: { people: readonly number[] }): ReactNode {
  const name = useConversationName()(people)
  const { user_id } = useOrganization('user_id')
  const isNotes = people.length === 1 && people[0] === user_id
  return (
    <MessagesPage
      narrow={{ kind: 'direct', people }}
      title={name}
      icon={
        people.length === 1 ? (
          <PersonButton key={people[0]} userId={people[0]!} label={t('Profile of {name}', { name })}>
            <DirectIcon people={people} />
          </PersonButton>
        ) : (
          <DirectIcon people={people} />
        )
      }
      actions={<SearchDirect people={people} />}
      about={isNotes ? t('Notes to yourself') : <DirectAbout people={people} />}
      empty={
        <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
          <p>
            {isNotes
              ? t('Only you can read this conversation.')
              : t('Only the people in this conversation can read it.')}
          </p>
        </Empty>
      }
      composer={<Composer key={String(people)} page={{ kind: 'direct', people }} />}
    />
  )
}
